// The box that finds: rules by name, and callers by name=value. / goes there.
import { html, nothing } from './lit-html.js';
import { visible } from './format.js';
import { ask } from './sign-in.js';
import * as route from './route.js';

const PAUSE = 150;
let text = '';
let found = [];
let at = -1;
let open = false;
let timer = 0;
let redraw = () => {};

const field = () => document.getElementById('find');

export function focus() {
  field().focus();
  field().select();
}

export function close() {
  open = false;
  at = -1;
}

/** The callers that a text may mean. */
function callers(words) {
  const pairs = words.split(/\s+/).filter(each => /^[^=\s]+=.+/.test(each)).map(each => each.split(/=(.*)/s).slice(0, 2));
  if (pairs.length) return [{ kind: 'Caller', text: words, address: route.caller(null, Object.fromEntries(pairs)) }];
  const names = /^[\d.:a-f]+$/i.test(words) && /[.:]/.test(words) ? ['ip'] : ['api_key', 'user_id', 'client_id'];
  return names.map(name => ({ kind: 'Caller', text: `${name}=${words}`, address: route.caller(null, { [name]: words }) }));
}

async function look() {
  const words = text.trim();
  if (!words) {
    found = [];
    redraw();
    return;
  }
  let rules = [];
  if (!words.includes('=')) {
    const answer = await ask(`/admin/v1/live?limit=6&q=${encodeURIComponent(words)}`).catch(() => null);
    const told = answer?.ok ? await answer.json() : { rules: [] };
    if (words !== text.trim()) return;
    rules = told.rules.map(each => ({ kind: 'Rule', text: `${each.rule} (${each.domain})`, address: route.rule(each.domain, each.rule) }));
    if (told.total > rules.length) rules.push({ kind: 'Rules', text: `all ${told.total} that match`, address: route.to('rules', { q: words }) });
  }
  found = [...rules, ...callers(words)];
  at = -1;
  redraw();
}

function input(event) {
  text = event.target.value;
  open = true;
  clearTimeout(timer);
  timer = setTimeout(look, PAUSE);
  redraw();
}

function take(choice) {
  if (!choice) return;
  text = '';
  found = [];
  close();
  field().blur();
  route.go(choice.address);
  redraw();
}

async function key(event) {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    open = true;
    at = found.length ? (at + (event.key === 'ArrowDown' ? 1 : -1) + found.length) % found.length : -1;
  } else if (event.key === 'Enter') {
    event.preventDefault();
    clearTimeout(timer);
    const chosen = at;
    if (chosen < 0) await look();
    take(found[Math.max(0, chosen)]);
    return;
  } else if (event.key === 'Escape') {
    text = '';
    found = [];
    close();
  } else {
    return;
  }
  redraw();
}

export function view(onChange) {
  redraw = onChange;
  const shown = open && found.length > 0;
  return html`<div class="find">
    <input id="find" type="search" role="combobox" aria-label="Find a rule or a caller" aria-expanded=${shown} aria-controls="found" aria-autocomplete="list"
      aria-activedescendant=${shown && at >= 0 ? `found-${at}` : nothing} aria-keyshortcuts="/" placeholder="Find a rule or a caller" autocomplete="off"
      spellcheck="false" maxlength="2000" .value=${text} @input=${input} @keydown=${key} @blur=${() => setTimeout(() => { close(); redraw(); }, 150)}>
    <ul id="found" role="listbox" aria-label="Found" ?hidden=${!shown}>${found.map((each, index) => html`<li id="found-${index}" role="option"
      aria-selected=${index === at} @pointerdown=${event => { event.preventDefault(); take(each); }}><span class="quiet">${each.kind}</span>
      <bdi class="name">${visible(each.text)}</bdi></li>`)}</ul>
  </div>`;
}
