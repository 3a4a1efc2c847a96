// Caller: everything that one caller meets, and what an operator may do about it.
import { html, nothing } from './lit-html.js';
import { clock, count, known, moment, since, span } from './format.js';
import { data, source } from './live.js';
import { dropped, empty, missing, name, regionsOf, rule, table, usage } from './parts.js';
import * as route from './route.js';
import * as actions from './caller-actions.js';

export const title = 'Caller';
const NAMES = ['api_key', 'user_id', 'client_id', 'ip', 'tenant', 'endpoint', 'method', 'tier', 'remote_address'];
export const pageTitle = params => [...attributes(params)].map(([key, value]) => `${key}=${value}`).join(' ') || title;

/** The attributes of the address: all parameters but the domain, which is called `in`. */
const attributes = params => [...params].filter(([key]) => key !== 'in' && key !== 'range');

export function sources(params) {
  const all = attributes(params);
  if (all.length === 0) return {};
  const query = new URLSearchParams([...(params.get('in') ? [['domain', params.get('in')]] : []), ...all]);
  return { caller: `/admin/v1/caller?${query}` };
}

let rows = [];
let domain = '';

export function enter(params) {
  rows = attributes(params);
  if (rows.length === 0) rows = [['api_key', '']];
  domain = params.get('in') ?? '';
}

function search(redraw) {
  const submit = event => {
    event.preventDefault();
    const query = new URLSearchParams([...(domain ? [['in', domain]] : []), ...rows.filter(([key, value]) => key && value)]);
    route.go(route.to('caller', query));
  };
  const set = (index, part) => event => { rows = rows.map((row, i) => (i === index ? row.map((each, j) => (j === part ? event.target.value : each)) : row)); };
  return html`<form class="compose" @submit=${submit}>
    ${rows.map(([key, value], index) => html`<div class="pair">
      <input aria-label="Attribute ${index + 1}" list="attribute-names" .value=${key} @input=${set(index, 0)} required spellcheck="false" autocomplete="off" placeholder="api_key">
      <span aria-hidden="true">=</span>
      <input class="value" aria-label="Value ${index + 1}" .value=${value} @input=${set(index, 1)} required spellcheck="false" autocomplete="off" placeholder="value">
      ${rows.length > 1 ? html`<button type="button" class="icon" aria-label="Remove attribute ${index + 1}" @click=${() => { rows = rows.filter((_, i) => i !== index); redraw(); }}>×</button>` : nothing}
    </div>`)}
    <datalist id="attribute-names">${NAMES.map(each => html`<option value=${each}></option>`)}</datalist>
    <div class="buttons"><button type="button" @click=${() => { rows = [...rows, ['', '']]; redraw(); }}>Add attribute</button><button class="primary">Show</button></div>
  </form>`;
}

function limitText(limit) {
  if (!limit) return '';
  const every = limit.window ? ` per ${limit.window}` : limit.calendar ? ` per ${limit.calendar}` : ' at once';
  const from = limit.from && limit.from !== 'rule' ? ` (${limit.from})` : '';
  return `${count(limit.requests)}${every}${from}`;
}

/** The attributes that a rule asks for beside those that were given. */
function more(each, asked) {
  const given = new Set(asked.map(([key]) => key));
  const added = Object.entries(each.attributes ?? {}).filter(([key]) => !given.has(key));
  return added.length ? html`(${name(added.map(([key, value]) => `${key}=${value}`).join(', '))})` : nothing;
}

/** The name of a counter; the server shortens values and escapes letters, so those that are known are written anew. */
function counterName(each, asked) {
  const values = { ...Object.fromEntries(asked), ...each.attributes };
  return each.counter.split(', ').map(part => {
    const key = part.split('=')[0];
    return Object.hasOwn(values, key) ? `${key}=${values[key]}` : part;
  }).join(', ');
}

/** When a counter has room again, or equals an unused one. */
function room(each) {
  if (each.has_room === false) return known(each.retry_after) ? html`passes in <b>${span(each.retry_after)}</b>` : 'never passes';
  return each.used > 0 && each.reset_in > 0 ? `resets in ${span(each.reset_in)}` : nothing;
}

function counter(each, role, asked) {
  const late = each.degraded ? html`<span class="wrong">◆ its store does not answer</span>` : nothing;
  return html`<tr class=${each.has_room === false && !each.shadow ? 'denied' : each.used > 0 || known(each.denied_since) ? '' : 'unmet'}>
    <td class="counter">${rule(each.domain, each.rule, true)} ${each.shadow ? html`<span class="badge shadow">◌ shadow</span>` : nothing}
      <br><span class="quiet">${name(each.counter ? counterName(each, asked) : 'all together')} ${more(each, asked)}</span><span class="quiet narrow-only">${limitText(each.limit)}, ${count(each.remaining)} left</span><span class="quiet narrow-only">${room(each)}</span>${known(each.denied_since) ? html`<span class="quiet narrow-only"><span class="glyph ink-denied" aria-hidden="true">▲</span> denied for ${since(each.denied_since)}</span>` : nothing}</td>
    <td>${late}${each.degraded ? nothing : usage(each.share, each.has_room === false)}</td>
    <td class="number wide">${count(each.used)}${each.permits ? ' in flight' : ''}</td>
    <td class="number wide">${count(each.remaining)}</td>
    <td class="wide">${limitText(each.limit)}</td>
    <td class="number wide">${room(each)}</td>
    <td class="number wide">${known(each.denied_since) ? html`<span class="glyph ink-denied" aria-hidden="true">▲</span> ${since(each.denied_since)}` : html`<span class="quiet">–</span>`}</td>
    <td>${role === 'viewer' || role === null ? nothing : html`<button class="small" @click=${() => actions.reset([each], asked)}>Reset</button>`}</td></tr>`;
}

function bans(told, role) {
  return html`<section aria-labelledby="bans"><h2 id="bans">Bans</h2>${told.bans.length === 0 ? empty('Not banned.') : table('Bans', ['Entry', 'Of', 'Ends', 'By', 'Reason', ['Change', 'unseen']], told.bans.map(each => html`<tr>
    <td><span class="badge ${each.kind}">${each.kind}</span></td><td>${name(`${each.attribute}=${each.value}`)}</td>
    <td>${each.expires_at ? html`in ${span((Date.parse(each.expires_at) - Date.now()) / 1000)}` : 'never'}</td>
    <td>${each.automatic ? 'a rule' : name(each.updated_by)}</td><td>${name(each.reason ?? '')}</td>
    <td>${role === 'viewer' || role === null ? nothing : html`<button class="small" @click=${() => actions.unban(each)}>Remove</button>`}</td></tr>`))}</section>`;
}

function quota(told) {
  if (!told.quota) return html`<section aria-labelledby="quota"><h2 id="quota">Quota</h2>${empty('No tier and no override of its own.')}</section>`;
  const overrides = told.quota.quotas?.overrides ?? [];
  return html`<section aria-labelledby="quota"><h2 id="quota">Quota</h2>
    <p>Tier <b>${name(told.quota.tier ?? 'none')}</b>${told.quota.in_force ? nothing : html` <span class="badge off">not in force</span>`}${told.quota.expires_at ? html`, until ${moment(told.quota.expires_at)}` : nothing}</p>
    ${overrides.length ? table('Overrides', ['Override of', 'Limit', 'Ends'], overrides.map(each => html`<tr><td>${name(each.descriptor)}</td>
      <td>${count(each.requests_per_unit)} per ${each.unit}${each.burst ? `, burst ${count(each.burst)}` : ''}</td><td>${each.expires_at ? moment(each.expires_at) : 'never'}</td></tr>`)) : nothing}</section>`;
}

/** Denials of one second that differ only in when they would pass, as one with a count. */
function grouped(all) {
  const groups = new Map();
  for (const each of all) {
    const same = `${Math.floor(each.at_ms / 1000)} ${each.shadow} ${each.sentence.replace(/passes again in [^;,]*/, '')}`;
    if (groups.has(same)) groups.get(same).times++;
    else groups.set(same, { ...each, times: 1 });
  }
  return [...groups.values()];
}

function denials(told) {
  return html`<section aria-labelledby="denials"><h2 id="denials">Last denials</h2>${told.denials.length === 0 ? empty('None that this server remembers.')
    : html`<ol class="denials">${grouped(told.denials).map(each => html`<li><span class="number quiet">${clock(each.at_ms / 1000)}</span>
      <span>${each.shadow ? html`<span class="glyph ink-shadow" aria-hidden="true">◌</span> in shadow: ` : nothing}${name(each.sentence)}${each.times > 1 ? html` <span class="badge">${each.times} times</span>` : nothing}</span></li>`)}</ol>`}</section>`;
}

/** Since when which rules deny the caller; it may pass at the moment. */
function deniedFor(all) {
  if (all.length === 0) return nothing;
  return html` <span class="quiet">Denied again and again ${all.map((each, i) => html`${i ? ', ' : ''}by ${name(each.rule)} for ${since(each.denied_since)}`)}.</span>`;
}

function shown(told, params, role) {
  const asked = attributes(params);
  if (told.unread && told.counters.length === 0) {
    return html`<p class="sentence bad" role="status"><span class="glyph ink-degraded" aria-hidden="true">◆</span> Not known: the counters cannot be read now.</p>${dropped(told.dropped)}${denials(told)}`;
  }
  const may = role === 'operator' || role === 'admin';
  const denied = told.counters.filter(each => each.has_room === false && !each.shadow);
  const lately = told.counters.filter(each => known(each.denied_since) && !each.shadow);
  const nearestFirst = [...told.counters].sort((a, b) => (b.has_room === false) - (a.has_room === false) || (b.share ?? 0) - (a.share ?? 0));
  const ban = told.met_bans.find(each => each.kind === 'ban' || each.kind === 'shadow');
  const apiKey = asked.find(([key]) => key === 'api_key' || key === 'client_id')?.[1];
  return html`
    <p class="sentence ${ban || denied.length || told.unread ? 'bad' : lately.length ? 'warn' : 'ok'}" role="status">${ban ? html`<span class="glyph ink-denied" aria-hidden="true">▲</span> ${name(ban.sentence)}.`
      : denied.length ? html`<span class="glyph ink-denied" aria-hidden="true">▲</span> Denied now by ${denied.map((each, i) => html`${i ? ', ' : ''}${name(each.rule)}`)}.`
      : told.unread ? html`<span class="glyph ink-degraded" aria-hidden="true">◆</span> Not known: not all counters can be read now.`
      : html`<span class="glyph ink-${lately.length ? 'degraded' : 'allowed'}" aria-hidden="true">${lately.length ? '◆' : '●'}</span> Passes now.`}${told.tier ? html` Tier ${name(told.tier)}.` : nothing}${deniedFor(lately)}</p>
    ${may ? html`<div class="buttons actions">
      <button @click=${() => actions.reset(told.counters, asked)}>Reset counters</button>
      ${apiKey === undefined ? nothing : html`<button @click=${() => actions.override(apiKey, told)}>Override a limit</button>`}
      <button @click=${() => actions.ban(params.get('in'), asked)}>Ban</button></div>` : nothing}
    <div class="stage callers"><section aria-labelledby="limits"><h2 id="limits">Limits</h2>
      ${told.counters.length ? table('Limits', ['Rule', 'Use', ['Used', 'number wide'], ['Left', 'number wide'], ['Limit', 'wide'], ['Passes, resets', 'number wide'], ['Denied for', 'number wide'], ['Change', 'unseen']], nearestFirst.map(each => counter(each, role, asked)))
        : empty('No rule counts this caller. See which rules would:', `weir explain ${asked.map(([key, value]) => `${key}=${value}`).join(' ')}`)}
      <p class="quiet">A rule that asks for more than the caller is shown for the attributes in brackets.</p>
      ${regionsOf(told.counters)}</section>
    <div><div class="columns">${bans(told, role)}${quota(told)}</div>
    ${denials(told)}</div></div>
    ${dropped(told.dropped)}`;
}

export function view(params, role, redraw) {
  const asked = attributes(params);
  const told = data('caller');
  return html`<h1>Caller</h1>${search(redraw)}
    ${asked.length === 0 ? empty('Name a caller by an attribute of its requests, or choose one from the lists of Now. From a shell:', 'weir explain api user_id=u_42')
      : told ? shown(told, params, role) : missing(source('caller'))}`;
}

