// What an operator may do about a caller. Each change asks for a reason, and is audited.
import { html } from './lit-html.js';
import { name } from './parts.js';
import { open, send } from './prompt.js';
import { ask } from './sign-in.js';

const REASON = { name: 'reason', label: 'Reason, for the audit', hint: 'ticket 4711' };
const FOR = [['10m', '10 minutes'], ['1h', '1 hour'], ['24h', '1 day'], ['7d', '7 days'], ['', 'until it is removed']];
const KINDS = [['ban', 'ban: denied with 403'], ['shadow', 'shadow: passes, charges nothing, the upstream is told'], ['allow', 'allow: bans do not apply to it']];

/** Resets counters of a caller, as the server listed them. Each is named by the attributes that its rule asks for. */
export function reset(counters, asked) {
  open({
    title: counters.length === 1 ? html`Reset the counter of ${name(counters[0].rule)}` : `Reset ${counters.length} counters`,
    text: html`<p>${name(asked.map(([key, value]) => `${key}=${value}`).join(' '))} starts anew there, on all servers.</p>`,
    fields: [REASON],
    action: 'Reset',
    act: async ({ reason }) => {
      let last = { ok: false, told: { detail: 'no rule counts this caller' } };
      for (const each of counters) {
        const attributes = each.attributes ? Object.entries(each.attributes) : asked;
        last = await send('DELETE', `/v1/counters?${new URLSearchParams([['domain', each.domain], ['weir.rule', each.rule], ...attributes])}`, undefined, { reason });
        if (!last.ok) return last;
      }
      return last;
    },
  });
}

/** Bans one of the attributes. */
export function ban(domain, attributes) {
  open({
    title: 'Ban',
    text: html`<p>In force here at once, and on all servers in under 2 s.</p>`,
    fields: [
      { name: 'who', label: 'Who', options: attributes.map(([key, value], index) => [String(index), `${key}=${value}`.slice(0, 200)]) },
      { name: 'kind', label: 'Kind', options: KINDS, value: 'ban' },
      { name: 'for', label: 'For', options: FOR, value: '1h' },
      { ...REASON, label: 'Reason, for the audit and for the caller', required: true },
    ],
    action: 'Ban',
    act: values => {
      const [attribute, value] = attributes[Number(values.who)];
      return send('POST', '/admin/v1/bans', { attribute, value, kind: values.kind, reason: values.reason, ...(values.for ? { for: values.for } : {}), ...(domain ? { domain } : {}) });
    },
  });
}

/** Bans somebody who is yet to be named. */
export function banAnyone() {
  open({
    title: 'Ban a caller',
    text: html`<p>In force here at once, and on all servers in under 2 s.</p>`,
    fields: [
      { name: 'attribute', label: 'Attribute', value: 'ip', required: true },
      { name: 'value', label: 'Value; for ip an address or a block', hint: '192.0.2.0/24', required: true },
      { name: 'kind', label: 'Kind', options: KINDS, value: 'ban' },
      { name: 'for', label: 'For', options: FOR, value: '1h' },
      { ...REASON, label: 'Reason, for the audit and for the caller', required: true },
    ],
    action: 'Ban',
    act: ({ attribute, value, kind, reason, for: time }) => send('POST', '/admin/v1/bans', { attribute, value, kind, reason, ...(time ? { for: time } : {}) }),
  });
}

export function unban(entry) {
  open({
    title: 'Remove the ban',
    text: html`<p>${name(`${entry.attribute}=${entry.value}`)} is no longer under ${entry.kind}.</p>`,
    fields: [REASON],
    action: 'Remove',
    act: ({ reason }) => {
      const query = new URLSearchParams({ attribute: entry.attribute, value: entry.value, ...(entry.domain ? { domain: entry.domain } : {}) });
      return send('DELETE', `/admin/v1/bans?${query}`, undefined, { reason });
    },
  });
}

/** Sets an override beside those that the caller has. If somebody else changes the quota meanwhile, the server refuses. */
export function override(apiKey, told) {
  const path = `/admin/v1/quotas/${encodeURIComponent(apiKey)}`;
  const rules = [...new Set(told.counters.map(each => each.rule))];
  open({
    title: 'Override a limit',
    text: html`<p>For ${name(apiKey)} alone, in the place of the rule's own limit.</p>`,
    fields: [
      { name: 'descriptor', label: 'Rule', options: rules.map(each => [each, each]) },
      { name: 'requests', label: 'Requests', type: 'number', min: 1, value: '1000', required: true },
      { name: 'unit', label: 'Per', options: ['second', 'minute', 'hour', 'day'].map(each => [each, each]), value: 'minute' },
      { name: 'hours', label: 'For, hours (empty: until it is removed)', type: 'number', min: 1 },
      REASON,
    ],
    action: 'Override',
    act: async values => {
      const answer = told.quota ? await ask(path) : null; // for its ETag
      const quota = answer?.ok ? await answer.json() : null;
      const kept = (quota?.quotas?.overrides ?? []).filter(each => each.descriptor !== values.descriptor);
      const added = { descriptor: values.descriptor, requests_per_unit: Number(values.requests), unit: values.unit,
        ...(values.hours ? { expires_at: new Date(Date.now() + values.hours * 3_600_000).toISOString() } : {}) };
      const body = { tier: quota?.tier ?? null, overrides: [...kept, added], effective_at: quota?.effective_at ?? null, expires_at: quota?.expires_at ?? null };
      return send('PUT', path, body, { reason: values.reason, headers: quota ? { 'If-Match': answer.headers.get('ETag') } : { 'If-None-Match': '*' } });
    },
  });
}
