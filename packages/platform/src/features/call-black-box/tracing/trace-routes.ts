import { readInteger } from '@jackfield/contract';
import {
  defaultTraceMinutes,
  newSipTrace,
  type SipTraceItem,
  sipTraceBody,
  sipTraceList,
  sipTraceMessages,
  sipTraceMessagesQuery,
  sipTracePath,
  tracePageSize,
} from '@jackfield/contract/console';
import type { Clock } from '@jackfield/ports';
import { type ApiRoute, type RequestAccount, route } from '../../../http/index.ts';
import { notFound, problem } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';
import { captureFileOf } from '../keeping/pcap.ts';
import type { BlackBoxStore } from '../store.ts';
import { capturedMessageOf, signallingMessageOf } from '../views.ts';
import type { ActiveTraces } from './active-traces.ts';
import type { SipTraceRow, TraceStore } from './trace-store.ts';

export interface TraceRouteDeps {
  readonly clock: Clock;
  readonly newUuid: () => string;
  readonly traces: TraceStore;
  readonly active: ActiveTraces;
  readonly entries: BlackBoxStore;
  /** Messages that are kept for one trace. */
  readonly mostMessages: number;
  /** Resolves when all messages until now can be read. */
  written(): Promise<void>;
  isKnown(viewer: RequestAccount, call: string): Promise<boolean>;
  /** The username of an endpoint that the viewer sees. */
  usernameOf(viewer: RequestAccount, endpoint: string): Promise<string | undefined>;
}

/** Traces at once: each reads every message of this process. */
const mostOfAccount = 10;
const mostOfProcess = 50;
/** Traces of the list. */
const mostShown = 100;

const which = problem(
  'invalid-parameter',
  'a trace is of one call or of one endpoint: set call_uuid or endpoint_id, and not both',
);
const full = problem(
  'limit-reached',
  `an account has at most ${mostOfAccount} traces at once, a server ${mostOfProcess}: end one, or wait for its end`,
);

/** SIP traces that are switched on for one call or endpoint. */
export function traceRoutes(deps: TraceRouteDeps): readonly ApiRoute[] {
  return [beginTrace(deps), listTraces(deps), traceOf(deps), messagesOfTrace(deps), endTrace(deps)];
}

function itemOf(row: SipTraceRow, now: number): SipTraceItem {
  return {
    trace_id: row.trace_id,
    call_uuid: row.call_uuid,
    endpoint_id: row.endpoint_id,
    began_at: new Date(row.began_at).toISOString(),
    ends_at: new Date(row.ends_at).toISOString(),
    is_on: row.ends_at > now,
  };
}

async function found(
  { traces }: TraceRouteDeps,
  account: RequestAccount,
  id: string,
): Promise<Result<SipTraceRow>> {
  const row = await traces.find(account, id.toLowerCase());
  return row === undefined ? refused(notFound('trace', id)) : accepted(row);
}

function beginTrace(deps: TraceRouteDeps): ApiRoute {
  const { clock, traces, active } = deps;
  return route({
    method: 'POST',
    path: 'Trace/',
    operation: 'Begin a SIP trace',
    id: 'createSipTrace',
    description:
      'Keeps the SIP messages of one live call, or of one endpoint, from now on, whether or not the server keeps those of all calls. They have no credentials, keys and digits, and stay for seven days.',
    schema: { body: newSipTrace, response: sipTraceBody },
    success: 201,
    refuses: ['limit-reached'],
    least: 'operator',
    async run({ account, body }) {
      const { call_uuid: call, endpoint_id: endpoint } = body;
      if ((call === undefined) === (endpoint === undefined)) return refused(which);
      const username = endpoint === undefined ? undefined : await deps.usernameOf(account, endpoint);
      if (endpoint !== undefined && username === undefined) return refused(notFound('endpoint', endpoint));
      if (call !== undefined && !(await deps.isKnown(account, call.toLowerCase())))
        return refused(notFound('call', call));
      if (active.count(account.authId) >= mostOfAccount || active.count() >= mostOfProcess)
        return refused(full);
      const minutes = readInteger(body.minutes) ?? defaultTraceMinutes;
      const now = clock.wallNow();
      const row: SipTraceRow = {
        trace_id: deps.newUuid(),
        account: account.authId,
        main_account: account.main,
        call_uuid: call?.toLowerCase() ?? null,
        endpoint_id: endpoint ?? null,
        username: username ?? null,
        began_at: now,
        ends_at: now + minutes * 60_000,
      };
      // Counted before it is written, so that requests at the same time do not exceed the limits together.
      active.begin(row);
      try {
        await traces.insert(row);
      } catch (err) {
        active.end(row.trace_id);
        throw err;
      }
      // Without effect, unless a look at the traces of all processes began before the row was written.
      active.begin(row);
      return accepted(itemOf(row, now));
    },
  });
}

function listTraces({ traces, clock }: TraceRouteDeps): ApiRoute {
  return route({
    method: 'GET',
    path: 'Trace/',
    operation: 'List SIP traces',
    id: 'listSipTraces',
    description: 'Those of seven days, newest first, at most 100.',
    schema: { response: sipTraceList },
    success: 200,
    async run({ account }) {
      const rows = await traces.list(account, mostShown);
      return accepted({ objects: rows.map((row) => itemOf(row, clock.wallNow())) });
    },
  });
}

function traceOf(deps: TraceRouteDeps): ApiRoute {
  return route({
    method: 'GET',
    path: 'Trace/:trace_id/',
    operation: 'Retrieve a SIP trace',
    id: 'retrieveSipTrace',
    schema: { params: sipTracePath, response: sipTraceBody },
    success: 200,
    async run({ account, params }) {
      const row = await found(deps, account, params.trace_id);
      return row.ok ? accepted(itemOf(row.value, deps.clock.wallNow())) : row;
    },
  });
}

function messagesOfTrace(deps: TraceRouteDeps): ApiRoute {
  const { entries, clock, mostMessages } = deps;
  // The messages of a call are in its own black box, in which the console finds them as well.
  const read = (
    { call_uuid: call, trace_id: id, began_at: from }: SipTraceRow,
    after: number,
    most: number,
  ) => entries.since(call ?? id, call === null ? 'traced' : 'message', { from, after, most });
  return route({
    method: 'GET',
    path: 'Trace/:trace_id/Message/',
    operation: 'List the messages of a SIP trace',
    id: 'listSipTraceMessages',
    description: 'Oldest first. In a capture file each message is one UDP datagram.',
    schema: { params: sipTracePath, query: sipTraceMessagesQuery, response: sipTraceMessages },
    success: 200,
    async run({ account, params, query }) {
      const row = await found(deps, account, params.trace_id);
      if (!row.ok) return row;
      const after = readInteger(query.after) ?? 0;
      const { call_uuid: call, trace_id: id, ends_at: endsAt } = row.value;
      const [messages, leftOut] = await Promise.all([
        read(row.value, after, tracePageSize),
        entries.list(call ?? id, call === null ? 'traced-left-out' : 'messages-left-out', 1),
      ]);
      const meta = {
        after: messages.at(-1)?.position ?? after,
        are_left_out: leftOut.length > 0,
        is_on: endsAt > clock.wallNow(),
      };
      return accepted({ meta, objects: messages.map(signallingMessageOf) });
    },
    download: {
      contentType: 'application/vnd.tcpdump.pcap',
      isRequested: ({ format }) => format?.toLowerCase() === 'pcap',
      async run({ account, params }) {
        const row = await found(deps, account, params.trace_id);
        if (!row.ok) return row;
        const messages = await read(row.value, 0, mostMessages);
        const bytes = captureFileOf(messages.map(capturedMessageOf));
        return accepted({ fileName: `${row.value.trace_id}.pcap`, bytes });
      },
    },
  });
}

function endTrace(deps: TraceRouteDeps): ApiRoute {
  return route({
    method: 'DELETE',
    path: 'Trace/:trace_id/',
    operation: 'End a SIP trace',
    id: 'endSipTrace',
    description: 'Its messages stay. Without effect on a trace that has ended.',
    schema: { params: sipTracePath },
    success: 204,
    least: 'operator',
    async run({ account, params }) {
      const row = await found(deps, account, params.trace_id);
      if (!row.ok) return row;
      await deps.traces.end(row.value.trace_id, deps.clock.wallNow());
      deps.active.end(row.value.trace_id);
      // Its last messages can be read when the answer has come.
      await deps.written();
      return accepted(undefined);
    },
  });
}
