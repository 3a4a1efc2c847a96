// Try it: compose a request, and see its decision, its headers and its way through the pipeline. Takes nothing.
import { html, nothing } from './lit-html.js';
import { count, known, span } from './format.js';
import { data } from './live.js';
import { name, regionsOf, rule as ruleLink, table, usage } from './parts.js';
import { send } from './prompt.js';
import * as route from './route.js';

export const title = 'Try it';
const NAMES = ['api_key', 'user_id', 'client_id', 'ip', 'tenant', 'endpoint', 'method', 'tier', 'remote_address'];

let rows = [];
let domain = '';
let hits = '1';
let result = null;
let problem = '';
let unquotedAt = ''; // the address of a request from whose values quotes were removed
let last = null;

export const sources = () => ({ some: ['/admin/v1/live?limit=200', { every: 60_000 }] });

const attributes = params => [...params].filter(([key]) => key !== 'in' && key !== 'hits');

export function enter(params, redraw) {
  rows = attributes(params);
  domain = params.get('in') ?? '';
  hits = params.get('hits') ?? '1';
  result = null;
  problem = '';
  last = {};
  if (rows.length === 0) rows = [['user_id', ''], ['endpoint', '']];
  else run(redraw, last);
}

async function run(redraw, mine) {
  const entries = rows.filter(([key, value]) => key && value).map(([key, value]) => ({ key, value }));
  const { ok, told } = await send('POST', '/admin/v1/explain', { ...(domain ? { domain } : {}), hits: Number(hits), entries });
  if (mine !== last) return;
  result = ok ? told : null;
  problem = ok ? '' : told.detail;
  redraw();
}

/** A value without the quotes around it: people paste what they would write in a shell. */
const unquote = value => value.match(/^\s*(["'])(.*)\1\s*$/s)?.[2] ?? value;

function submit(event, redraw) {
  event.preventDefault();
  const typed = rows;
  rows = rows.map(([key, value]) => [key, unquote(value)]);
  const query = new URLSearchParams([...(domain ? [['in', domain]] : []), ...(hits === '1' ? [] : [['hits', hits]]), ...rows.filter(([key, value]) => key && value)]);
  const address = route.to('try', query);
  unquotedAt = rows.some(([, value], i) => value !== typed[i][1]) ? address : '';
  if (address === location.hash) enter(query, redraw);
  else route.go(address);
}

/** The domains that have rules. */
const loaded = () => [...new Set((data('some')?.rules ?? []).map(each => each.domain))];

function form(redraw) {
  const domains = loaded();
  const set = (index, part) => event => { rows = rows.map((row, i) => (i === index ? row.map((each, j) => (j === part ? event.target.value : each)) : row)); };
  return html`<form class="compose" @submit=${event => submit(event, redraw)}>
    <div class="pair wraps"><label for="try-domain">Domain</label><input id="try-domain" list="try-domains" .value=${domain} @input=${event => { domain = event.target.value.trim(); }} spellcheck="false" autocomplete="off"
      placeholder=${domains.length === 1 ? domains[0] : 'domain'}><datalist id="try-domains">${domains.map(each => html`<option value=${each}></option>`)}</datalist>
      <label for="try-hits">Hits</label><input id="try-hits" class="narrow" type="number" min="0" .value=${hits} @input=${event => { hits = event.target.value; }}></div>
    ${rows.map(([key, value], index) => html`<div class="pair">
      <input aria-label="Attribute ${index + 1}" list="try-names" .value=${key} @input=${set(index, 0)} spellcheck="false" autocomplete="off">
      <span aria-hidden="true">=</span>
      <input class="value" aria-label="Value ${index + 1}" .value=${value} @input=${set(index, 1)} spellcheck="false" autocomplete="off">
      <button type="button" class="icon" aria-label="Remove attribute ${index + 1}" @click=${() => { rows = rows.filter((_, i) => i !== index); redraw(); }}>×</button></div>`)}
    <datalist id="try-names">${NAMES.map(each => html`<option value=${each}></option>`)}</datalist>
    <div class="buttons"><button type="button" @click=${() => { rows = [...rows, ['', '']]; redraw(); }}>Add attribute</button><button class="primary">Try it</button></div>
  </form>`;
}

/** The way of the request: each step with what it did. */
export function steps(told) {
  const met = told.rules.filter(each => each.met);
  const denying = met.filter(each => each.has_room === false && each.mode === 'on');
  const watching = met.filter(each => each.has_room === false && each.mode === 'shadow');
  const stops = told.ban?.kind === 'ban';
  const out = [];
  out.push(['Shedder', 'passed', 'an explanation is not shed; a check is, if the server is overloaded']);
  out.push(told.ban ? ['Bans', stops ? 'stops' : 'passed', told.ban.sentence ?? `${told.ban.kind} of ${told.ban.subject}`] : ['Bans', 'passed', 'no entry is for this request']);
  if (told.everything !== 'on') out.push(['Switch on all rules', told.everything === 'off' ? 'skips' : 'passed', `all rules are ${told.everything}`]);
  out.push(['Match', met.length ? 'passed' : 'skips', `${met.length} of ${told.rules.length} rules apply${told.tier ? `, tier ${told.tier}` : ''}`]);
  const origins = [...new Set(met.map(each => each.answered_by).filter(Boolean))];
  if (met.length) {
    out.push(['Counters', denying.length ? 'stops' : 'passed', denying.length ? `no room for ${denying.map(each => each.rule).join(', ')}` : `all have room${watching.length ? `; ${watching.map(each => each.rule).join(', ')} in shadow has not` : ''}`]);
    out.push(['Answered by', met.some(each => each.degraded) ? 'degraded' : 'passed', met.some(each => each.degraded) ? 'a store did not answer; on_fail decides' : origins.join(', ') || 'nobody had to count']);
  }
  out.push(['Decision', told.would_pass ? 'passed' : 'stops', `${told.answer.status} ${told.would_pass ? 'allowed' : 'denied'}`]);
  return out;
}

const GLYPHS = { passed: ['●', 'allowed'], stops: ['▲', 'denied'], skips: ['◌', 'quiet'], degraded: ['◆', 'degraded'] };

function limitText(limit) {
  return limit ? `${count(limit.requests)}${limit.window ? ` per ${limit.window}` : limit.calendar ? ` per ${limit.calendar}` : ' at once'}${limit.from === 'rule' ? '' : ` (${limit.from})`}` : '';
}

function ruleRow(each, domainOf) {
  const denied = each.has_room === false;
  const passes = denied ? (known(each.retry_after) ? `in ${span(each.retry_after)}` : 'never') : '';
  return html`<tr class=${denied && each.mode === 'on' ? 'denied' : each.met ? '' : 'unmet'}>
    <td>${ruleLink(domainOf, each.rule)} ${each.mode === 'on' ? nothing : html`<span class="badge ${each.mode}">${each.mode}</span>`}</td>
    <td class="wraps">${each.met ? html`yes${each.elsewhere ? html`, if ${each.why}` : nothing}<br><span class="quiet">${name(each.counter || 'all together')}</span><span class="quiet narrow-only">${limitText(each.limit)}, ${count(each.remaining)} left${passes ? `, passes ${passes}` : ''}</span>` : html`no: ${name(each.why)}`}</td>
    <td class="wide">${known(each.used) && each.limit ? usage(each.used / Math.max(1, each.used + each.remaining), denied) : nothing}</td>
    <td class="number wide">${each.met ? count(each.remaining) : ''}</td><td class="wide">${limitText(each.limit)}</td>
    <td class="number wide">${passes}</td></tr>`;
}

function shown(told) {
  const named = new Set((told.elsewhere ?? []).map(each => each.rule));
  const all = [...told.rules.filter(each => each.met), ...(told.elsewhere ?? []).map(each => ({ ...each, elsewhere: true })), ...told.rules.filter(each => !each.met && !named.has(each.rule))];
  const headers = Object.entries(told.answer.headers);
  return html`<div role="status">
    <p class="sentence ${told.would_pass ? 'ok' : 'bad'}"><span class="glyph ink-${told.would_pass ? 'allowed' : 'denied'}" aria-hidden="true">${told.would_pass ? '●' : '▲'}</span>
      ${told.would_pass ? (told.rules.some(each => each.met) ? 'It would pass now.' : 'No rule applies: it passes.') : 'It would be denied now.'} <span class="quiet">Status ${told.answer.status}. Nothing was taken.</span></p>
    ${(told.denied_on ?? []).length ? html`<p class="wrong">▲ With more attributes it is denied on: ${told.denied_on.join(', ')}</p>` : nothing}
    ${told.note ? html`<p class="notes">◐ ${name(told.note)}</p>` : nothing}
    <div class="columns"><section aria-labelledby="way"><h2 id="way">The way through</h2><ol class="way">${steps(told).map(([step, did, text]) => html`<li class=${did}>
        <span class="glyph ink-${GLYPHS[did][1]}" aria-hidden="true">${GLYPHS[did][0]}</span><b>${step}</b> <span><span class="hidden">${did}:</span> ${name(text)}</span></li>`)}</ol></section>
      <section aria-labelledby="headers"><h2 id="headers">Headers of the answer</h2>${headers.length ? table('Headers', ['Name', 'Value'], headers.map(([key, value]) => html`<tr><td><code>${key}</code></td><td><code class="name">${value}</code></td></tr>`))
        : html`<p class="empty">None: no limit applies.</p>`}</section></div>
    ${(told.envoys ?? []).length ? html`<section aria-labelledby="envoys"><h2 id="envoys">Envoys that hold hits of it</h2>${table('Envoys', ['Envoy', 'Bucket', 'Told', ['Holds', 'number'], ['Asks for', 'number']], told.envoys.map(each => html`<tr>
      <td>${name(each.envoy)}</td><td class="wraps">${name(Object.entries(each.bucket).map(pair => pair.join('=')).join(', '))}</td><td>${each.assignment.replaceAll('_', ' ')}</td>
      <td class="number">${count(each.held)}</td><td class="number">${count(Math.round(each.asks_per_second))}/s</td></tr>`))}</section>` : nothing}
    ${regionsOf(told.rules.map(each => ({ domain: told.domain, ...each })))}
    <section aria-labelledby="tried"><h2 id="tried">Rules of the domain ${name(told.domain)}</h2>
      <div class="one-domain">${table('Rules', ['Rule', 'Applies', ['Use', 'wide'], ['Left', 'number wide'], ['Limit', 'wide'], ['Passes', 'number wide']], all.slice(0, 200).map(each => ruleRow(each, told.domain)))}</div>
      ${all.length > 200 ? html`<p class="quiet">The first 200 of ${count(all.length)}.</p>` : nothing}</section></div>`;
}

export function view(params, role, redraw) {
  return html`<h1>Try it</h1><p class="quiet">Compose a request. Nothing is counted, and nobody is charged.</p>
    ${form(redraw)}
    ${unquotedAt === location.hash ? html`<p class="notes">◐ The quotes around a value were removed, as a shell does. To keep them, put them twice.</p>` : nothing}
    ${problem ? html`<p class="empty" role="alert">${problem}</p>` : result ? shown(result) : attributes(params).length ? html`<p class="quiet">Asking…</p>`
      : html`<p class="empty">The same from a shell: <code>weir explain ${loaded()[0] ?? 'api'} user_id=u_42 endpoint=/v1/charges</code></p>`}`;
}
