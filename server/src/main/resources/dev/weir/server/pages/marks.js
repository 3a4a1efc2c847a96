// Restarts and changes of the audit, as marks on charts.
import { seconds, visible } from './format.js';
import { data } from './live.js';

const LONG = { '15m': 900, '6h': 6 * 3600, '14d': 14 * 86400 };

/** Whether this server has a database, and so an audit. */
export const hasAudit = () => document.querySelector('meta[name=weir-database]').content === 'yes';

/** The path to watch for the changes of a range. Its start moves by whole minutes, so that the address stays the same. */
export function sources(range) {
  if (!hasAudit()) return {};
  const since = Math.floor(Date.now() / 1000 / 60) * 60 - LONG[range];
  return { marks: [`/admin/v1/audit?limit=200&since=${encodeURIComponent(new Date(since * 1000).toISOString())}`, { every: 15_000 }] };
}

/** The marks of a chart. Answers of the audit come from the source `marks`. */
export function of(restarts) {
  const changes = (data('marks')?.changes ?? [])
    .map(each => ({ at: seconds(each.at), kind: 'change', text: visible(`${each.who} changed ${each.kind} ${each.subject}`) }));
  return [...(restarts ?? []).map(at => ({ at, kind: 'restart', text: 'this server started' })), ...changes];
}
