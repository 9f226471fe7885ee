import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEngineRig, type EngineRig, type TonePhone } from './testing/phones.ts';

/** A machine that beeps for half a second after a second of silence. */
function beeped(): { readonly rig: EngineRig; readonly machine: TonePhone } {
  const rig = createEngineRig();
  const machine = rig.phone('machine', 0);
  rig.engine.apply({ do: 'watch-answer', leg: 'machine', watched: true }, rig.nowMs());
  rig.run(50);
  machine.frequencyHz = 1000;
  rig.run(25);
  return { rig, machine };
}

function soundsOf({ notices }: EngineRig): readonly string[] {
  return notices.flatMap((notice) => (notice.type === 'answer-sound' ? [notice.sound] : []));
}

const afterwards: readonly (readonly [string, (rig: EngineRig, machine: TonePhone) => void])[] = [
  ['silence', (_rig, machine) => Object.assign(machine, { frequencyHz: 0 })],
  ['no packet at all', (_rig, machine) => Object.assign(machine, { sending: false })],
  [
    'a re-INVITE by which it only receives',
    (rig, machine) => {
      machine.sending = false;
      const { codec, payloadType } = machine.speaks;
      const agreed = { address: '192.0.2.1', port: 20_000, codec, payloadType, ptimeMs: 20 };
      rig.engine.connectLeg('machine', { ...agreed, direction: 'sendonly' }, rig.nowMs());
    },
  ],
];

for (const [rule, follows] of afterwards) {
  test(`the beep of a machine is reported within 200 ms when it is followed by ${rule}`, () => {
    const { rig, machine } = beeped();
    assert.deepEqual(soundsOf(rig), ['tone']);
    follows(rig, machine);
    rig.run(10);
    assert.deepEqual(soundsOf(rig), ['tone', 'beep']);
    rig.run(500);
    assert.deepEqual(soundsOf(rig), ['tone', 'beep']);
  });
}
