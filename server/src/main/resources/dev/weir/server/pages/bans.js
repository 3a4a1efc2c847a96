// Bans: every entry in force, who made it, and when it ends.
import { html, nothing } from './lit-html.js';
import { moment, span } from './format.js';
import { data, source } from './live.js';
import { empty, missing, name, table } from './parts.js';
import * as actions from './caller-actions.js';
import * as route from './route.js';

export const title = 'Bans';
const GLYPHS = { ban: '▲', shadow: '◌', allow: '●', watch: '◐' };

export const sources = params => ({ bans: [`/admin/v1/bans?limit=200${params.get('after') ? `&after=${encodeURIComponent(params.get('after'))}` : ''}`, { every: 2000 }] });

function row(each, may) {
  return html`<tr>
    <td><span class="badge ${each.kind}"><span aria-hidden="true">${GLYPHS[each.kind] ?? '●'}</span> ${each.kind}</span></td>
    <td><a data-open href=${route.caller(each.domain, { [each.attribute]: each.value })}>${name(`${each.attribute}=${each.value}`)}</a>
      ${each.domain ? html`<span class="quiet domain">${name(each.domain)}</span>` : nothing}</td>
    <td class="number">${each.expires_at ? html`<span title=${each.expires_at}>in ${span((Date.parse(each.expires_at) - Date.now()) / 1000)}</span>` : 'never'}</td>
    <td>${each.automatic ? html`a rule` : name(each.updated_by ?? '')}</td>
    <td class="number">${moment(each.updated_at)}</td>
    <td>${name(each.reason ?? '')}</td>
    <td>${may ? html`<button class="small" @click=${() => actions.unban(each)}>Remove</button>` : nothing}</td></tr>`;
}

export function view(params, role) {
  const told = data('bans');
  const may = role === 'operator' || role === 'admin';
  return html`<div class="head"><h1>Bans</h1><div class="controls">${may ? html`<button @click=${actions.banAnyone}>Ban a caller</button>` : nothing}</div></div>
    ${told ? html`${told.bans.length === 0 ? empty('Nobody is banned. To ban someone:', 'weir ban add ip=192.0.2.1 --for 1h --reason "…"')
      : table('Bans', ['Kind', 'Who', ['Ends', 'number'], 'Made by', ['At', 'number'], 'Reason', ['Change', 'unseen']], told.bans.map(each => row(each, may)))}
      ${told.next ? html`<p><a href=${route.changed({ after: told.next })}>Next page</a></p>` : nothing}
      <p class="quiet">Entries of people and of rules. Lists in files and CrowdSec are not shown here; the metrics count them.</p>` : missing(source('bans'))}`;
}
