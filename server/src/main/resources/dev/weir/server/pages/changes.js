// Changes: who changed what, when and why, newest first; with the difference, and the check of the hash chain.
import { html, nothing } from './lit-html.js';
import { count, moment } from './format.js';
import { data, source } from './live.js';
import { empty, missing, name } from './parts.js';
import * as difference from './difference.js';
import { hasAudit } from './marks.js';
import * as route from './route.js';
import { ask } from './sign-in.js';
import { text } from './yaml.js';

export const title = 'Changes';
const PAGE = 50;
const KINDS = ['rule', 'quota', 'switch', 'ban', 'token', 'counter', 'file'];

let before = null;
let found = null;
let problem = '';
let verified = null;
let last = null;

export const sources = () => ({ status: ['/admin/v1/status', { every: 2000 }] });

/** Reads the changes before a version: the audit is read upwards, so this steps down until a page is full. */
async function read(params, redraw, mine) {
  const filters = ['kind', 'author', 'object'].filter(each => params.get(each)).map(each => `&${each}=${encodeURIComponent(params.get(each))}`).join('');
  const all = [];
  let top = before ?? Infinity;
  let step = PAGE;
  for (let calls = 0; calls < 12 && all.length < PAGE && top > 0; calls++) {
    const after = top === Infinity ? await newest(step) : Math.max(0, top - 1 - step);
    const answer = await ask(`/admin/v1/audit?limit=1000&after=${after}${filters}`);
    const told = await answer.json();
    if (mine !== last) return;
    if (!answer.ok) throw new Error(told.detail);
    const older = told.changes.filter(each => each.version < top).reverse();
    all.push(...older);
    top = after + 1;
    if (after === 0) top = 0;
    step = Math.min(1000, step * 4);
  }
  found = { changes: all.slice(0, PAGE), more: all.length > PAGE || top > 0 };
  redraw();
}

async function newest(step) {
  const answer = await ask('/admin/v1/status');
  const told = await answer.json();
  return Math.max(0, (told.database?.version ?? 0) - step);
}

export function enter(params, redraw) {
  before = params.get('before') ? Number(params.get('before')) : null;
  found = null;
  problem = '';
  last = {};
  if (!hasAudit()) return;
  read(params, redraw, last).catch(failure => { problem = failure.message; redraw(); });
}

async function verify(redraw) {
  verified = { busy: true };
  redraw();
  const answer = await ask('/admin/v1/audit/verify').catch(() => null);
  verified = answer?.ok ? await answer.json() : { problems: ['the server did not answer'] };
  redraw();
}

const written = value => (value === null || value === undefined ? '' : `${text(value)}\n`);

function change(each) {
  const parsed = value => (typeof value === 'string' ? value : written(value));
  return html`<li><details>
    <summary data-open><span class="number quiet">${moment(each.at)}</span> <span class="badge">${each.kind}</span> <b>${name(each.subject ?? '')}</b>
      <span>${each.change ?? ''}</span> <span class="quiet">by ${name(each.who ?? '')}${each.reason ? html`: ${name(each.reason)}` : nothing}</span></summary>
    ${difference.view(parsed(each.before), parsed(each.after), `Difference of change ${each.version}`)}
    <p class="quiet">Change ${each.version}, from ${name(each.from ?? '')}.</p>
  </details></li>`;
}

function filter(params) {
  const submit = event => {
    event.preventDefault();
    route.go(route.to('changes', Object.fromEntries(new FormData(event.target))));
  };
  return html`<form class="filters" @submit=${submit}>
    <label>Kind <select name="kind"><option value="">all</option>${KINDS.map(each => html`<option value=${each} ?selected=${each === params.get('kind')}>${each}</option>`)}</select></label>
    <label>By <input name="author" .value=${params.get('author') ?? ''} autocomplete="off" spellcheck="false"></label>
    <label>Of <input name="object" .value=${params.get('object') ?? ''} autocomplete="off" spellcheck="false" placeholder="rule, key, …"></label>
    <button>Filter</button></form>`;
}

export function view(params, role, redraw) {
  if (!hasAudit()) {
    return html`<h1>Changes</h1>${empty('This server has no database, so nothing is changed here and nothing is recorded. Start it with one:', 'weir serve --data DIR')}`;
  }
  const version = data('status')?.database?.version;
  const newer = found && before === null && found.changes.length && version > found.changes[0].version && !params.get('kind') && !params.get('author') && !params.get('object');
  return html`<div class="head"><h1>Changes</h1><div class="controls">
      <button @click=${() => verify(redraw)} ?disabled=${verified?.busy}>Verify the hash chain</button></div></div>
    ${verified && !verified.busy ? html`<p role="status">${verified.problems.length ? html`<span class="wrong">▲ ${verified.problems.join('; ')}</span>`
      : html`<span class="glyph ink-allowed" aria-hidden="true">●</span> Intact: ${count(verified.changes)} changes, last hash ${html`<code>${verified.last_hash.slice(0, 16)}…</code>`}`}</p>` : nothing}
    ${filter(params)}
    ${newer ? html`<p><button @click=${() => enter(params, redraw)}>There are newer changes: show them</button></p>` : nothing}
    ${problem ? html`<p class="empty">${problem}</p>` : !found ? missing({ data: null, error: source('status').error })
      : found.changes.length === 0 ? empty('No changes. A change is made with:', 'weir rules put, weir switch, weir ban, weir quota set')
      : html`<ol class="changes">${found.changes.map(change)}</ol>`}
    <p>${before !== null ? html`<a href=${route.changed({ before: '' })}>Newest</a> ` : nothing}${found?.more && found.changes.length ? html`<a href=${route.changed({ before: found.changes.at(-1).version })}>Older</a>` : nothing}</p>`;
}
