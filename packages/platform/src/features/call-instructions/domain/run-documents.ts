import { documentEnds, endOfFault, type FetchReason } from './document-end.ts';
import type { DocumentRun, RunInput } from './document-run.ts';
import type { ActionRequest } from './instruction.ts';
import { giveUpFetch, leave } from './run-end.ts';
import { change, endElement, reclaim, type Turn, warn } from './run-turn.ts';

type Fields = Readonly<Record<string, string>>;

/** docs/interface/calls.md#request-parameters: the first request of a call is StartApp, every other for a document Redirect. */
export function fetchFirst(turn: Turn, detected: Fields = {}) {
  const { request, reason, fields } = turn.run.first;
  fetchDocument(turn, request, reason, {
    ...fields,
    ...detected,
    Event: reason === 'answer' ? 'StartApp' : 'Redirect',
  });
}

/** Replaces the running document by that of a Redirect or an action. */
export function fetchNext(turn: Turn, request: ActionRequest, reason: 'action' | 'redirect', fields: Fields) {
  fetchDocument(turn, request, reason, { ...fields, Event: 'Redirect' });
}

export function fetchTransfer(turn: Turn, { request, kept }: Extract<RunInput, { type: 'transfer' }>) {
  const { current } = turn.run;
  if (current?.state.kind === 'multiparty') reclaim(turn);
  giveUpFetch(turn);
  const before = turn.effects.length;
  endElement(turn, 'API Request');
  const stops = turn.effects.splice(before);
  turn.effects.push(...stops.filter((effect) => effect.do !== 'hang-up' || effect.leg !== kept));
  change(turn, { idleSteps: 0 });
  fetchDocument(turn, request, 'transfer', { Event: 'Redirect' });
}

function fetchDocument(turn: Turn, request: ActionRequest, reason: FetchReason, fields: Fields) {
  if (isEndless(turn)) return;
  const id = turn.run.fetches + 1;
  change(turn, {
    phase: 'fetching',
    fetch: { id, request, reason, fields, since: turn.now },
    fetches: id,
    rest: [],
  });
  turn.effects.push({ do: 'fetch', fetch: id, request, fields });
}

/** Counts documents and elements without time; too many in a row end the call, which would run in circles. */
export function isEndless(turn: Turn): boolean {
  const { idleSteps, limits, url } = turn.run;
  change(turn, { idleSteps: idleSteps + 1 });
  if (idleSteps < limits.idleSteps) return false;
  const sentence = `the call was ended: ${limits.idleSteps} elements and documents followed each other and none of them took time`;
  turn.effects.push({ do: 'emit', event: { type: 'document-failed', url, sentence } });
  leave(turn, { ...documentEnds(2060, 'Error'), reason: sentence });
  return true;
}

export function documentFetched(
  turn: Turn,
  { request, since }: NonNullable<DocumentRun['fetch']>,
  { elements, warnings }: Extract<RunInput, { type: 'document-fetched' }>,
) {
  if (turn.now - since >= turn.run.limits.restMs) change(turn, { idleSteps: 0 });
  change(turn, {
    phase: 'running',
    fetch: null,
    url: request.url,
    rest: elements.map((element) => ({ ...element, isBeforeAnswer: false })),
  });
  for (const sentence of warnings) warn(turn, sentence);
}

/** docs/interface/documents.md#fetching: a first document that cannot be run has a second chance at fallback_url, every other ends the call. */
export function documentFailed(
  turn: Turn,
  { request, reason, fields }: NonNullable<DocumentRun['fetch']>,
  { fault, sentence }: Extract<RunInput, { type: 'document-failed' }>,
) {
  change(turn, { fetch: null });
  turn.effects.push({ do: 'emit', event: { type: 'document-failed', url: request.url, sentence } });
  const { fallback, endWithout } = turn.run.first;
  // An unreachable URL counts as a missing document; a document with a fault ends with the cause of its fault.
  const isMissing = turn.run.fetches === 1 && fault === 'unreachable';
  const end = { ...((isMissing ? endWithout : undefined) ?? endOfFault(reason, fault)), reason: sentence };
  if (reason !== 'answer' || fallback === null) return leave(turn, end);
  fetchDocument(turn, fallback, 'fallback', {
    ...fields,
    FallbackCode: String(end.code),
    FallbackCause: end.name,
    FallbackReason: sentence,
  });
}
