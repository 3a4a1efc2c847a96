// Rules: all of them with their live use; one of them with its chart, its callers, its text and its switch.
import { html, nothing } from './lit-html.js';
import { counts, short } from './format.js';
import { data, source } from './live.js';
import { deniedShare, dropped, empty, missing, modes, name, oneDomain, rule, table, usage } from './parts.js';
import * as route from './route.js';
import * as one from './rule.js';
import * as edit from './rule-edit.js';

export const title = 'Rules';
const PAGE = 200;
const SORTS = { name: 'by name', denied_share: 'by denied share', denied: 'by denials', traffic: 'by traffic', utilisation: 'by use' };

const isEdit = params => params.has('edit');
const isOne = params => params.has('rule');

export const pageTitle = params => (isEdit(params) ? `Edit ${params.get('rule') ?? 'a new rule'}` : isOne(params) ? params.get('rule') : title);

export function sources(params) {
  if (isEdit(params)) return {};
  if (isOne(params)) return one.sources(params);
  const asked = route.to('', { q: params.get('q'), sort: params.get('sort'), domain: params.get('in'), after: params.get('after'), limit: PAGE });
  return { live: `/admin/v1/live${asked.replace('#/', '')}` };
}

export function enter(params, redraw) {
  if (isEdit(params)) edit.enter(params, redraw);
  else if (isOne(params)) one.enter(params, redraw);
}

function row(each) {
  return html`<tr>
    <td>${rule(each.domain, each.rule, true)} ${modes(each)}</td>
    <td>${usage(each.utilisation, each.utilisation > 1, each.allowed_rate + each.denied_rate > 0 ? 'paused' : 'no traffic')}</td>
    <td class="number">${deniedShare(each)}</td>
    <td class="wide">${counts(each.limit)}</td>
    <td class="number wide">${short(each.allowed_rate)}</td>
    <td class="number wide">${short(each.denied_rate)}</td>
    <td class="quiet source wide">${name(each.source)}</td></tr>`;
}

function list(params, role) {
  const told = data('live');
  const find = event => route.replace(route.changed({ q: event.target.value, after: '' }));
  return html`<div class="head"><h1>Rules</h1>
      <div class="controls">
        <input type="search" aria-label="Filter rules" placeholder="Filter" .value=${params.get('q') ?? ''} @input=${find} autocomplete="off" spellcheck="false">
        <select aria-label="Sort" @change=${event => route.go(route.changed({ sort: event.target.value, after: '' }))}>${Object.entries(SORTS).map(([value, text]) =>
          html`<option value=${value} ?selected=${value === (params.get('sort') ?? 'name')}>${text}</option>`)}</select>
        ${role === 'admin' ? html`<a class="button" href=${route.to('rules', { edit: 'new' })}>New rule</a>` : nothing}
      </div></div>
    ${told ? html`
      ${told.rules.length === 0 ? (params.get('q') ? empty('No rule matches.') : empty('There are no rules. Write some, and start with them:', 'weir serve --rules rules.yaml'))
        : html`<div class=${told.rules.length === told.total ? oneDomain(told.rules) : ''}>${table('Rules', ['Rule', 'Use of the limit', ['Denied', 'number'], ['Limit', 'wide'], ['Allowed /s', 'number wide'], ['Denied /s', 'number wide'], ['Written in', 'wide']], told.rules.map(row))}</div>`}
      <p class="quiet">${told.rules.length} of ${told.total} rules. Use is attempts by limit, of the counter nearest to it, in the last half minute; other numbers are of the last minute.
        ${params.get('after') ? html`<a href=${route.changed({ after: '' })}>First page</a>` : nothing}
        ${told.next ? html`<a href=${route.changed({ after: told.next })}>Next page</a>` : nothing}</p>
      ${dropped(told.dropped)}` : missing(source('live'))}`;
}

export function view(params, role, redraw) {
  if (isEdit(params)) return edit.view(params, role, redraw);
  return isOne(params) ? one.view(params, role, redraw) : list(params, role);
}
