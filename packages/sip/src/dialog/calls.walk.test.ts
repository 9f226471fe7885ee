import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createRequest } from '../message/create-request.ts';
import { createResponse } from '../message/create-response.ts';
import type { SipRequest } from '../message/message.ts';
import { RFC3261_TIMERS } from '../transaction/timers.ts';
import { offeredCall, stepIncomingCall } from './incoming-call.ts';
import type { IncomingCall, IncomingCallInput, IncomingCallTimer } from './incoming-call-state.ts';
import { startOutgoingCall, stepOutgoingCall } from './outgoing-call.ts';
import type {
  CallTimer,
  OutgoingCall,
  OutgoingCallEffect,
  OutgoingCallInput,
} from './outgoing-call-state.ts';
import type { SessionInput } from './session-state.ts';

const content = { body: 'sdp', contentType: 'application/sdp' };

function inviteTo(uri: string): SipRequest {
  return createRequest({
    method: 'INVITE',
    uri,
    from: '<sip:a@x>;tag=a',
    to: '<sip:b@x>',
    callId: 'c',
    cseq: 1,
    contact: '<sip:a@x>',
    ...content,
  });
}

function inDialog(method: string, cseq: number, body = 'sdp', headers: [string, string][] = []): SipRequest {
  return createRequest({
    headers,
    method,
    uri: 'sip:a@x',
    from: '<sip:b@x>;tag=b',
    to: '<sip:a@x>;tag=a',
    callId: 'c',
    cseq,
    body,
    contentType: 'text/plain',
  });
}

/** Events for either machine; numbers choose among the present branches, requests and timers. */
const event = fc.record({
  what: fc.constantFrom(
    '1xx',
    '1xx',
    '2xx',
    '2xx',
    '3xx',
    '401',
    '6xx',
    'timeout',
    'transport-failed',
    'next-address',
    'next-address',
    'hang-up',
    'offer',
    'answer-offer',
    'refuse-offer',
    'info',
    'timer',
    'timer',
    'BYE',
    'INVITE',
    'INFO',
    'ACK',
    'OPTIONS',
    'UPDATE',
    'REFER',
    'accept-referral',
    'refuse-referral',
    'report-referral',
    'PRACK',
    'PRACK',
    'CANCEL',
    'answered',
    'answered',
    'request-failed',
    'ring',
    'accept',
    'reject',
  ),
  branch: fc.nat(5),
  fork: fc.nat(2),
  cseq: fc.integer({ min: 1, max: 6 }),
  pick: fc.nat(20),
  chance: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
});
type Event = { what: string; branch: number; fork: number; cseq: number; pick: number; chance: number };

interface OpenRequest {
  session: string;
  request: SipRequest;
}

/** The state of a driver for one call: carries effects out and checks that none comes twice or too late. */
class World {
  ends = 0;
  now = 0;
  serial = 0;
  timers = new Map<string, number>();
  requests: OpenRequest[] = [];
  unanswered = new Set<string>();
  branches = new Map<string, 'open' | 'closed'>();
  cancels: string[] = [];
  authenticate: string[] = [];
  /** Of the last reliable response. */
  rseq = 0;

  take(effects: readonly { readonly do: string }[]): void {
    for (const raw of effects) {
      const effect = raw as OutgoingCallEffect;
      switch (effect.do) {
        case 'end':
          this.ends += 1;
          break;
        case 'start-timer':
          this.timers.set(`${effect.session}|${effect.key}`, effect.at);
          break;
        case 'cancel-timer':
          this.timers.delete(`${effect.session}|${effect.key}`);
          break;
        case 'start-call-timer':
          this.timers.set(`${effect.scope}|${effect.key}`, effect.at);
          break;
        case 'cancel-call-timer':
          this.timers.delete(`${effect.scope}|${effect.key}`);
          break;
        case 'request':
          this.requests.push({ session: effect.session, request: effect.request });
          break;
        case 'abandon-offer':
          this.requests = this.requests.filter(({ request }) => request.method !== 'INVITE');
          break;
        case 'respond': {
          const rseq = effect.headers?.find(([name]) => name === 'RSeq');
          if (rseq) this.rseq = Number(rseq[1]);
          if (effect.status >= 200) {
            assert.ok(
              this.unanswered.delete(effect.transaction),
              `one final response for ${effect.transaction}`,
            );
          }
          break;
        }
        case 'cancel':
          assert.equal(this.branches.get(effect.branch), 'open', 'only an open branch is cancelled');
          this.cancels.push(effect.branch);
          break;
        case 'abandon':
          this.branches.set(effect.branch, 'closed');
          break;
        case 'authenticate':
          this.authenticate.push(effect.branch);
          break;
        case 'emit':
        case 'emit-call':
          assert.equal(this.ends, 0, 'no event after the end');
          break;
        default:
          break;
      }
    }
  }
}

function sessionResponse({ request }: OpenRequest, status: number): ReturnType<typeof createResponse> {
  return createResponse(request, status, undefined, { headers: [['Contact', '<sip:b@y>']] });
}

/** Headers of requests: the RAck of a PRACK, and at times a session timer. */
function headersFor(world: World, what: string, pick: number): [string, string][] {
  if (what === 'REFER') return [['Refer-To', '<sip:c@x>']];
  if (what === 'PRACK') return [['RAck', `${world.rseq} 1 INVITE`]];
  if (pick % 3 > 0) return [];
  return [
    ['Supported', 'timer'],
    ['Allow', pick % 2 === 0 ? 'INVITE, UPDATE' : 'INVITE'],
    ['Session-Expires', `90;refresher=${pick % 4 < 2 ? 'uac' : 'uas'}`],
  ];
}

/** Inputs of both directions; undefined when the event does not fit the present state. */
function sessionInput(world: World, { what, cseq, pick, chance }: Event): SessionInput | undefined {
  const transaction = `t${world.serial++}`;
  switch (what) {
    case 'offer':
    case 'answer-offer':
      return { type: what, content };
    case 'refuse-offer':
      return { type: 'refuse-offer', status: 488 };
    case 'accept-referral':
      return { type: what };
    case 'refuse-referral':
      return { type: what, status: 603 };
    case 'report-referral':
      return { type: what, status: pick % 2 === 0 ? 180 : 200 };
    case 'info':
      return { type: 'send-info', content };
    case 'ACK':
      return { type: 'ack', request: inDialog('ACK', cseq) };
    case 'BYE':
    case 'INVITE':
    case 'INFO':
    case 'OPTIONS':
    case 'UPDATE':
    case 'REFER':
    case 'PRACK':
      world.unanswered.add(transaction);
      return {
        type: 'request',
        transaction,
        request: inDialog(what, cseq, pick % 2 === 0 ? '' : 'sdp', headersFor(world, what, pick)),
        chance,
      };
    default:
      return undefined;
  }
}

function answerOpenRequest(world: World, event: Event): { session: string; input: SessionInput } | undefined {
  const index = event.pick % Math.max(1, world.requests.length);
  const open = world.requests[index];
  if (!open) return undefined;
  world.requests.splice(index, 1);
  const { method } = open.request;
  if (event.what === 'request-failed') {
    return {
      session: open.session,
      input: { type: 'failed', method, failure: event.fork === 0 ? 'timeout' : 'transport-failed' },
    };
  }
  const status = [200, 200, 491, 401, 481, 488, 500][event.cseq] ?? 200;
  const response = sessionResponse(open, status);
  return {
    session: open.session,
    input: { type: 'response', method, response, isFinal: event.fork === 0, chance: event.chance },
  };
}

/** Fires the earliest timer. */
function dueTimer(world: World): [string, string] | undefined {
  const [first] = [...world.timers].sort((one, other) => one[1] - other[1]);
  if (!first) return undefined;
  world.timers.delete(first[0]);
  world.now = Math.max(world.now, first[1]);
  const bar = first[0].indexOf('|');
  return [first[0].slice(0, bar), first[0].slice(bar + 1)];
}

test('Outgoing calls: in any order of responses, forks, requests, timers and losses a call ends once and nothing stays alive', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), fc.array(event, { maxLength: 40 }), (targets, events) => {
      const world = new World();
      const invites = new Map<string, SipRequest>();
      for (let index = 0; index < targets; index += 1) {
        invites.set(`b${index}`, inviteTo(`sip:b@h${index}`));
        world.branches.set(`b${index}`, 'open');
      }
      const start = startOutgoingCall(invites, RFC3261_TIMERS, 300_000, 0);
      let state: OutgoingCall = start.state;
      world.take(start.effects);
      const feed = (input: OutgoingCallInput): void => {
        const step = stepOutgoingCall(state, input, world.now);
        state = step.state;
        world.take(step.effects);
        for (const branch of world.authenticate.splice(0)) {
          world.branches.set(branch, 'open');
          feed({ type: 'authenticated', branch, request: invites.get(branch)! });
        }
      };
      const respond = (branch: string, status: number, tag: string, rseq = 0): void => {
        if (world.branches.get(branch) === 'closed' && (status < 200 || status >= 300)) return;
        if (status >= 200) world.branches.set(branch, 'closed');
        const headers: [string, string][] = [
          ['Contact', `<sip:b@${tag}>`],
          ['Allow', 'INVITE, UPDATE'],
          ['Session-Expires', `90;refresher=${rseq > 0 ? 'uac' : 'uas'}`],
        ];
        if (status < 200 && rseq > 0) headers.push(['Require', '100rel'], ['RSeq', String(rseq)]);
        const response = createResponse(invites.get(branch)!, status, undefined, { toTag: tag, headers });
        feed({ type: 'branch-response', branch, response, isFinal: false });
      };
      const accepted = new Set<string>();
      const play = (current: Event): void => {
        const names = [...world.branches.keys()];
        const branch = names[current.branch % names.length]!;
        const open = world.branches.get(branch) === 'open';
        switch (current.what) {
          case '1xx':
            if (open) respond(branch, 180, `f${current.fork}`, current.cseq % 4);
            break;
          case '2xx':
            // A proxy forwards every 2xx, also after the first (§16.7), but none after another final response.
            if (open || accepted.has(branch)) {
              accepted.add(branch);
              respond(branch, 200, `f${current.fork}`, current.cseq % 2);
            }
            break;
          case '3xx':
          case '401':
          case '6xx':
            if (open)
              respond(
                branch,
                { '3xx': 302, '401': 401, '6xx': 603 }[current.what] ?? 500,
                `f${current.fork}`,
              );
            break;
          case 'timeout':
          case 'transport-failed':
            if (open) {
              world.branches.set(branch, 'closed');
              feed({ type: 'branch-failed', branch, failure: current.what });
            }
            break;
          case 'next-address': {
            const next = `${branch}.`;
            const request = invites.get(branch)!;
            if (!open || world.branches.has(next)) break;
            feed({ type: 'next-address', branch, next, request });
            invites.set(next, request);
            if (state.branches.has(next)) world.branches.set(next, 'open');
            break;
          }
          case 'hang-up':
            feed({ type: 'hang-up' });
            break;
          case 'timer': {
            const due = dueTimer(world);
            if (due) feed({ type: 'timer-fired', scope: due[0], key: due[1] as CallTimer });
            break;
          }
          case 'answered':
          case 'request-failed': {
            const answered = answerOpenRequest(world, current);
            if (answered) feed({ type: 'session', ...answered });
            break;
          }
          default: {
            const input = sessionInput(world, current);
            if (!input) break;
            if (input.type === 'request' || input.type === 'ack') {
              feed({ type: 'in-dialog', remoteTag: `f${current.fork}`, input });
            } else if (state.winner !== undefined) feed({ type: 'session', session: state.winner, input });
          }
        }
      };
      for (const current of events) {
        play(current);
        assert.ok(world.ends <= 1);
      }
      // The end: the owner hangs up, open transactions time out, every timer runs.
      feed({ type: 'hang-up' });
      for (let round = 0; round < 200; round += 1) {
        for (const [branch, phase] of world.branches) {
          if (phase === 'open' && state.branches.get(branch)?.phase === 'cancel-requested') {
            world.branches.set(branch, 'closed');
            feed({ type: 'branch-failed', branch, failure: 'timeout' });
          }
        }
        const open = world.requests.shift();
        if (open) {
          const input: SessionInput = { type: 'failed', method: open.request.method, failure: 'timeout' };
          feed({ type: 'session', session: open.session, input });
        }
        const due = dueTimer(world);
        if (due) feed({ type: 'timer-fired', scope: due[0], key: due[1] as CallTimer });
      }
      assert.equal(world.ends, 1, 'the owner gets the end exactly once');
      assert.equal(state.phase, 'ended');
      assert.deepEqual([...world.timers.keys()], []);
      assert.deepEqual(world.requests, []);
      assert.deepEqual([...world.unanswered], [], 'every request was answered');
      for (const branch of world.branches.values()) assert.equal(branch, 'closed');
      for (const session of state.sessions.values()) assert.equal(session.phase, 'ended');
    }),
    { numRuns: 1500 },
  );
});

const reliability = fc.constantFrom('', 'Supported', 'Require');

test('Incoming calls: in any order of commands, requests, CANCEL, timers and losses a call ends once and nothing stays alive', () => {
  fc.assert(
    fc.property(fc.boolean(), reliability, fc.array(event, { maxLength: 40 }), (delayed, takes, events) => {
      const world = new World();
      const invite = { ...inviteTo('sip:a@x'), body: delayed ? '' : 'sdp' };
      if (takes !== '') invite.headers.append(takes, '100rel');
      world.unanswered.add('invite');
      const start = offeredCall(invite, 'a', 'invite', RFC3261_TIMERS, 300_000, 0);
      let state: IncomingCall = start.state;
      world.take(start.effects);
      const feed = (input: IncomingCallInput): void => {
        const step = stepIncomingCall(state, input, world.now);
        state = step.state;
        world.take(step.effects);
      };
      const play = (current: Event): void => {
        switch (current.what) {
          case 'ring':
            feed({ type: 'ring', status: 180, ...(current.pick % 2 === 0 && { content }) });
            break;
          case 'accept':
            feed({ type: 'accept', content });
            break;
          case 'reject':
            feed({ type: 'reject', status: 486 });
            break;
          case 'hang-up':
            feed({ type: 'hang-up' });
            break;
          case 'CANCEL': {
            const theirs = state.phase === 'answered' ? state.session.theirs?.transaction : 'invite';
            feed({ type: 'session', input: { type: 'cancelled', transaction: theirs ?? 'none' } });
            break;
          }
          case 'transport-failed':
            // A transaction that failed before its final response is gone.
            world.unanswered.delete('invite');
            feed({ type: 'invite-failed', failure: 'transport-failed' });
            break;
          case 'timer': {
            const due = dueTimer(world);
            if (due) feed({ type: 'timer-fired', key: due[1] as IncomingCallTimer });
            break;
          }
          case 'answered':
          case 'request-failed': {
            const answered = answerOpenRequest(world, current);
            if (answered) feed({ type: 'session', input: answered.input });
            break;
          }
          default: {
            const input = sessionInput(world, current);
            if (input) feed({ type: 'session', input });
          }
        }
      };
      for (const current of events) {
        play(current);
        assert.ok(world.ends <= 1);
      }
      feed({ type: 'hang-up' });
      for (let round = 0; round < 200; round += 1) {
        const open = world.requests.shift();
        if (open)
          feed({
            type: 'session',
            input: { type: 'failed', method: open.request.method, failure: 'timeout' },
          });
        const due = dueTimer(world);
        if (due) feed({ type: 'timer-fired', key: due[1] as IncomingCallTimer });
      }
      assert.equal(world.ends, 1, 'the owner gets the end exactly once');
      assert.equal(state.phase, 'ended');
      assert.deepEqual([...world.timers.keys()], []);
      assert.deepEqual(world.requests, []);
      assert.deepEqual([...world.unanswered], [], 'every request was answered');
      if (state.phase === 'ended' && state.session) assert.equal(state.session.phase, 'ended');
    }),
    { numRuns: 1500 },
  );
});
