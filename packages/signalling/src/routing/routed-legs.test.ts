import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CallRoutes,
  type DialRequest,
  type LegEnd,
  type LegListener,
  type LegNotice,
  legSpec,
} from '@jackfield/ports';
import { createRecordingLog, createVirtualClock } from '@jackfield/testkit';
import { createRoutedLegs } from './routed-legs.ts';

/** Two targets for calls to `bob`: the second is called after the first was silent for a second. */
function createRig(reserve?: (at: number) => LegEnd | undefined | Promise<LegEnd | undefined>) {
  const clock = createVirtualClock();
  const log = createRecordingLog();
  const dialled: DialRequest[] = [];
  const heard: LegNotice[] = [];
  const outcomes: string[] = [];
  const below = new Map<string, LegListener>();
  const notify = (notice: LegNotice) => below.get(notice.leg)?.(notice);
  const bobs: CallRoutes = {
    owner: 'carriers',
    routeOf({ leg, callee }) {
      if (callee !== 'bob') return undefined;
      return {
        targets: [
          {
            target: { uri: 'sip:b@192.0.2.1' },
            caller: '+1202',
            ringingWithinMs: 1000,
            carrier: 'alpha',
          },
          { target: { uri: 'sip:b@192.0.2.2' }, carrier: 'beta' },
        ],
        ...(reserve && { reserve }),
        settle: (at, answeredMs) => outcomes.push(`settle ${leg} ${at} ${answeredMs}`),
        failed: (at, { because }) => outcomes.push(`failed ${leg} ${at} ${because}`),
      };
    },
  };
  const routed = createRoutedLegs({
    clock,
    log,
    routes: [{ owner: 'trunks', routeOf: () => undefined }, bobs],
    dial(request, listener) {
      dialled.push(request);
      below.set(request.leg, listener);
    },
    nextAddress: () => undefined,
    hangUp: (leg) => notify({ type: 'leg-ended', leg, end: { by: 'local' } }),
  });
  routed.listen((notice) => heard.push(notice));
  const dial = (leg: string, callee = 'bob') => {
    const spec = legSpec({ from: 'alice', callerName: '', to: callee });
    return routed.dial({ leg, spec, callee, targets: [{ uri: 'tel:+1' }] });
  };
  return { clock, log, routed, dialled, heard, outcomes, notify, dial };
}

test('a leg is counted from its dialling to its end, which is reported once, however many targets were tried', async () => {
  const { clock, routed, dialled, heard, outcomes, dial, notify } = createRig();
  dial('a');
  dial('b');
  assert.deepEqual(routed.census(), { carriers: 2, trunks: 0 });
  await clock.advance(1000);
  assert.deepEqual(
    dialled.map(({ leg, spec, caller = spec.from, targets }) => `${leg} ${caller} ${targets[0]?.uri}`),
    [
      'a +1202 sip:b@192.0.2.1',
      'b +1202 sip:b@192.0.2.1',
      'a alice sip:b@192.0.2.2',
      'b alice sip:b@192.0.2.2',
    ],
  );
  notify({ type: 'leg-answered', leg: 'a' });
  assert.equal(routed.census().carriers, 2, 'an answered leg is still counted');
  assert.ok(routed.hangUp('a'));
  assert.equal(routed.census().carriers, 1);
  notify({ type: 'leg-ended', leg: 'b', end: { by: 'no-response' } });
  assert.equal(routed.census().carriers, 0);
  assert.deepEqual(heard, [
    { type: 'leg-answered', leg: 'a' },
    { type: 'leg-ended', leg: 'a', end: { by: 'local', carrier: 'beta' } },
    { type: 'leg-ended', leg: 'b', end: { by: 'no-response', carrier: 'beta' } },
  ]);
  assert.deepEqual(
    outcomes.filter((each) => each.includes(' a ')),
    ['settle a 0 0', 'failed a 0 silent', 'settle a 1 1'],
  );
  assert.equal(clock.pending, 0);
});

test('a leg without a route is neither dialled, nor counted, nor hung up', () => {
  const { routed, dialled, dial } = createRig();
  assert.equal(dial('c', 'carol'), false);
  assert.equal(routed.hangUp('c'), false);
  assert.deepEqual([dialled.length, routed.census().carriers], [0, 0]);
});

test('only early media of the target that rings is reported', async () => {
  const { clock, heard, dial, notify } = createRig();
  dial('a');
  notify({ type: 'leg-early', leg: 'a' });
  await clock.advance(1000);
  notify({ type: 'leg-ringing', leg: 'a' });
  notify({ type: 'leg-early', leg: 'a' });
  assert.deepEqual(
    heard.map(({ type }) => type),
    ['leg-ringing', 'leg-early'],
  );
});

test('a target whose reservation fails is skipped, and its leg ends with that failure if no other target is called', async () => {
  const { clock, log, heard, dialled, dial } = createRig(() => Promise.reject(new Error('no database')));
  dial('a');
  await clock.advance(0);
  assert.equal(dialled.length, 0);
  assert.deepEqual(heard, [{ type: 'leg-ended', leg: 'a', end: { by: 'media-failed' } }]);
  assert.equal(log.lines.filter(({ level }) => level === 'error').length, 2);
});

test('all legs can be hung up; after closing there is no leg, no timer and no further report', async () => {
  const { clock, routed, dialled, heard, dial, notify } = createRig();
  dial('a');
  routed.hangUpAll();
  assert.deepEqual(heard.splice(0), [
    { type: 'leg-ended', leg: 'a', end: { by: 'local', carrier: 'alpha' } },
  ]);
  dial('b');
  routed.close();
  notify({ type: 'leg-ringing', leg: 'b' });
  assert.deepEqual([routed.census().carriers, clock.pending, heard.length], [0, 0, 0]);
  await clock.advance(2000);
  assert.equal(dialled.length, 2);
});
