// Edit a rule: the server checks it as you type, shows what would change, and saves it if nobody else has changed it meanwhile.
import { html, nothing } from './lit-html.js';
import { name } from './parts.js';
import { clock, count } from './format.js';
import * as difference from './difference.js';
import { hasAudit } from './marks.js';
import { open, send } from './prompt.js';
import * as route from './route.js';
import { ask, who } from './sign-in.js';
import { ruleText } from './yaml.js';

const PAUSE = 300;
const PLAY_PAUSE = 700;
const BUSY = 2000;
const NEW = 'match: { endpoint: "POST /v1/orders" }\nkey_by: user_id\nlimit: { requests: 100, window: 1m }\n';
const PLACE = /^body:(\d+):(\d+): (.*)$/s;

// The rule that is edited: its id, its text, the ETag it was read with, and what the server said of the text.
let edited = null;
let timer = 0;
let playTimer = 0;

/** An error of the server with its place: `body:3:9: unknown algorithm …`. */
export function placed(text) {
  const found = PLACE.exec(text);
  return found ? { line: Number(found[1]), column: Number(found[2]), text: found[3] } : { line: 0, column: 0, text: text.replace(/^body: /, '') };
}

export async function enter(params, redraw) {
  const id = params.get('rule') ?? '';
  edited = { id, domain: params.get('domain') ?? '', text: id ? null : NEW, tag: null, source: null, errors: [], warnings: [], effect: null, checked: null, problem: '', reason: '', played: null, playing: false };
  const mine = edited;
  if (id) {
    const answer = await ask(`/v1/ratelimit/config/${encodeURIComponent(id)}?domain=${encodeURIComponent(mine.domain)}`).catch(() => null);
    const told = answer ? await answer.json() : { detail: 'the server cannot be reached' };
    if (mine !== edited) return;
    if (!answer?.ok) {
      mine.problem = told.detail;
      redraw();
      return;
    }
    mine.text = ruleText(told);
    mine.tag = answer.headers.get('ETag');
    mine.source = told.source;
  }
  check(redraw);
  redraw();
}

const path = () => `/v1/ratelimit/config/${encodeURIComponent(edited.id)}`;

/** Asks the server what it thinks of the text, and what would change. Takes nothing and changes nothing. */
async function check(redraw) {
  const mine = edited;
  const text = mine.text;
  if ((await who)?.role !== 'admin') return;
  if (!hasAudit()) {
    mine.problem = 'This server has no database to save rules in: start it with --data DIR or --db';
    redraw();
    return;
  }
  if (!mine.id.trim()) {
    Object.assign(mine, { errors: [], effect: null, checked: null });
    redraw();
    return;
  }
  const { ok, status, told } = await send('PUT', `${path()}?dry_run=true`, text);
  if (mine !== edited || text !== mine.text) return;
  mine.checked = text;
  mine.problem = ok || status === 400 ? '' : told.detail;
  mine.errors = ok ? [] : status === 400 ? (told.errors ?? [told.detail]).map(placed) : [];
  mine.warnings = (told.warnings ?? []).map(placed);
  mine.effect = ok ? told.effect : null;
  playLater(redraw, PLAY_PAUSE);
  redraw();
}

function playLater(redraw, pause) {
  clearTimeout(playTimer);
  playTimer = setTimeout(() => play(redraw), pause);
}

const isPlayed = () => edited.played?.id === edited.id && edited.played.text === edited.text;

/** Asks the server what the rule would have denied of the requests that it recorded; one question at a time. */
async function play(redraw) {
  const mine = edited;
  if (mine.playing || !mine.effect || mine.checked !== mine.text || isPlayed() || isSame()) return;
  const { id, text } = mine;
  mine.playing = true;
  const { ok, status, told } = await send('POST', `/admin/v1/replay/${encodeURIComponent(id)}`, text);
  mine.playing = false;
  if (mine !== edited) return;
  if (status !== 429) mine.played = { id, text, told: ok ? told : { requests: 0, note: told.detail } };
  playLater(redraw, status === 429 ? BUSY : PLAY_PAUSE);
  redraw();
}

function typed(event, redraw) {
  edited.text = event.target.value;
  later(redraw);
}

function later(redraw) {
  edited.checked = null;
  clearTimeout(timer);
  timer = setTimeout(() => check(redraw), PAUSE);
  redraw();
}

function jump(error) {
  const area = document.getElementById('rule-text');
  const before = area.value.split('\n').slice(0, error.line - 1).join('\n').length + (error.line > 1 ? 1 : 0);
  area.focus();
  area.setSelectionRange(before + error.column - 1, before + error.column - 1);
}

async function save(event, redraw) {
  event.preventDefault();
  const isNew = edited.tag === null;
  const { ok, status, told } = await send('PUT', path(), edited.text, { reason: edited.reason, headers: isNew ? { 'If-None-Match': '*' } : { 'If-Match': edited.tag } });
  if (ok) {
    route.go(route.rule(edited.effect?.after?.domain ?? edited.domain, edited.id));
    return;
  }
  edited.errors = (told.errors ?? []).map(placed);
  edited.problem = status === 412 ? 'Somebody else has changed this rule since you opened it. Reload the page to see it; your text is lost then, so copy it first.'
    : told.errors ? '' : told.detail;
  redraw();
}

function remove() {
  const { id, tag, domain } = edited;
  open({
    title: html`Delete ${name(id)}`,
    text: html`<p>The rule leaves the database. If it overrode a rule of a file or of a network source, that rule applies again.</p>`,
    fields: [{ name: 'reason', label: 'Reason, for the audit' }],
    action: 'Delete',
    act: ({ reason }) => send('DELETE', path(), undefined, { reason, headers: { 'If-Match': tag } }),
    onDone: () => route.go(route.to('rules', { q: id, domain })),
  });
}

/** The text with the numbers of its lines, and a mark where the server found a mistake. */
function editor(redraw) {
  const wrong = new Map(edited.errors.map(each => [each.line, each]));
  const warned = new Set(edited.warnings.map(each => each.line));
  const lines = edited.text.split('\n').length;
  const scroll = event => { event.target.previousElementSibling.scrollTop = event.target.scrollTop; };
  return html`<div class="editor">
    <div class="gutter" aria-hidden="true">${Array.from({ length: lines }, (_, index) => {
      const line = index + 1;
      return html`<span class=${wrong.has(line) ? 'wrong' : warned.has(line) ? 'warned' : ''}>${wrong.has(line) ? '▲' : warned.has(line) ? '◆' : ''}${line}</span>`;
    })}</div>
    <textarea id="rule-text" aria-label="The rule, in YAML or JSON" aria-invalid=${edited.errors.length > 0} aria-describedby="rule-said" rows=${Math.max(10, Math.min(30, lines + 1))}
      spellcheck="false" autocomplete="off" wrap="off" .value=${edited.text} @input=${event => typed(event, redraw)} @scroll=${scroll}></textarea>
  </div>`;
}

function said() {
  const isChecked = edited.checked === edited.text;
  const state = edited.problem ? html`<p class="wrong">▲ ${edited.problem}</p>`
    : !edited.id.trim() ? html`<p class="quiet">Give the rule a name.</p>`
    : !isChecked ? html`<p class="quiet">Checking…</p>`
    : edited.errors.length ? nothing : html`<p><span class="glyph ink-allowed" aria-hidden="true">●</span> The server accepts it.</p>`;
  return html`<div id="rule-said" role="status">${state}
    <ul class="said">${edited.errors.map(each => html`<li><button type="button" class="place" @click=${() => jump(each)} ?disabled=${!each.line}>${each.line ? `${each.line}:${each.column}` : 'rule'}</button>
      <span class="wrong">${each.text}</span></li>`)}
    ${edited.warnings.map(each => html`<li><span class="place">${each.line ? `${each.line}:${each.column}` : ''}</span> ◆ ${each.text}</li>`)}</ul></div>`;
}

/** Whether saving would change nothing. */
const isSame = () => edited.effect?.before && ruleText(edited.effect.before) === ruleText(edited.effect.after);

function effect() {
  const { effect: told } = edited;
  if (!told || edited.checked !== edited.text) return nothing;
  return html`<section aria-labelledby="difference"><h2 id="difference">What would change</h2>
    <p class="quiet">${told.before ? html`In force now, from ${name(told.source)}.` : 'A new rule.'}</p>
    ${difference.view(told.before ? ruleText(told.before) : '', ruleText(told.after), 'Difference')}</section>`;
}

/** What the rule would have done to the requests that this server recorded. */
function played() {
  if (!edited.effect || edited.checked !== edited.text || isSame()) return nothing;
  const told = isPlayed() ? edited.played.told : null;
  return html`<section id="played" aria-labelledby="played-title" role="status"><h2 id="played-title">In the recorded traffic</h2>
    ${!told ? html`<p class="quiet">Playing the last requests…</p>`
    : !told.requests ? html`<p class="quiet">${told.note}</p>`
    : html`<p>Of the last ${count(told.requests)} requests that this server recorded (${clock(told.from)} to ${clock(told.to)}), this would deny
        <b>${count(told.more)} more</b> and <b>${count(told.fewer)} fewer</b> than the rules in force; ${count(told.callers_changed)} of ${count(told.callers)} callers change.</p>
      ${told.changed_callers.length ? html`<ul>${told.changed_callers.map(each => html`<li>${name(each.caller)}: ${count(each.denied)} of ${count(each.requests)} requests denied, ${count(each.denied_before)} now</li>`)}</ul>` : nothing}
      ${told.not_exact_because.length ? html`<details><summary>Why this is an estimate</summary><ul>${told.not_exact_because.map(each => html`<li>${each}</li>`)}</ul></details>` : nothing}`}
  </section>`;
}

export function view(params, role, redraw) {
  const isNew = !params.get('rule');
  const heading = html`<p class="back"><a href=${route.to('rules')}>Rules</a></p><h1>${isNew ? 'New rule' : html`Edit ${name(params.get('rule'))}`}</h1>`;
  if (!edited) return html`${heading}<p class="quiet">Loading…</p>`;
  if (role !== 'admin') return html`${heading}<p class="empty">Editing rules takes the role admin; yours is ${role ?? 'unknown'}.</p>`;
  if (edited.text === null) return html`${heading}<p class=${edited.problem ? 'empty' : 'quiet'}>${edited.problem || 'Loading…'}</p>`;
  const isReady = edited.checked === edited.text && edited.errors.length === 0 && !edited.problem && !isSame();
  return html`${heading}
    ${isNew ? html`<p class="field"><label for="rule-name">Name</label><input id="rule-name" required .value=${edited.id} maxlength="200" autocomplete="off" spellcheck="false"
      @input=${event => { edited.id = event.target.value; later(redraw); }}></p>` : nothing}
    ${edited.source && edited.source !== 'database' ? html`<p class="quiet">It is written in ${name(edited.source)}. What you save goes to the database and overrides it there.</p>` : nothing}
    ${editor(redraw)}
    ${said()}
    ${effect()}
    ${played()}
    <form class="save" @submit=${event => save(event, redraw)}>
      <label for="rule-reason">Reason, for the audit</label>
      <input id="rule-reason" .value=${edited.reason} @input=${event => { edited.reason = event.target.value; }} maxlength="1000" autocomplete="off">
      <button class="primary" ?disabled=${!isReady}>Save</button>
      <a class="button" href=${isNew ? route.to('rules') : route.rule(edited.domain, edited.id)}>Cancel</a>
      ${edited.tag ? html`<button type="button" @click=${remove}>Delete</button>` : nothing}
    </form>`;
}
