import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { docs } from './navigation.ts';
import { perCore, sizeOf } from './sizing.ts';

const nothing = {
  phones: 0,
  browsers: 0,
  streams: 0,
  callsPerSecond: 0,
  callbacksPerSecond: 0,
  registrations: 0,
  registerSeconds: 3600,
};

test('an idle platform needs a media thread and one core beside it', () => {
  const size = sizeOf(nothing);
  assert.deepEqual([size.mediaThreads, size.cores, size.udpPorts], [1, 2, 0]);
});

test('half of each core stays free', () => {
  assert.equal(sizeOf({ ...nothing, phones: perCore.phones }).mediaThreads, 2);
  assert.equal(sizeOf({ ...nothing, phones: perCore.phones + 1 }).mediaThreads, 3);
  assert.equal(sizeOf({ ...nothing, callsPerSecond: perCore.calls }).cores, 3);
});

test('phones that register often cost more than phones that do not', () => {
  const often = sizeOf({ ...nothing, registrations: 1_000_000, registerSeconds: 60 });
  assert.ok(often.cores > sizeOf({ ...nothing, registrations: 1_000_000 }).cores);
});

test('the figures are those of the page of benchmarks', () => {
  const page = readFileSync(join(docs, 'benchmarks.md'), 'utf8').replaceAll(',', '');
  assert.match(page, new RegExp(`^\\| G\\.711 rooms of 3 \\| ${perCore.phones}–`, 'm'));
  assert.match(page, new RegExp(`^\\| Opus at 48 kHz rooms of 3 \\| ${perCore.browsers} `, 'm'));
  assert.match(page, new RegExp(`^\\| streams two way.*\\| ${perCore.streams};`, 'm'));
  assert.match(page, new RegExp(`^\\| calls to a number of an inbound trunk.*\\| ${perCore.calls} /s`, 'm'));
  assert.match(page, new RegExp(`^\\| callbacks delivered.*\\| ${perCore.callbacks}/s`, 'm'));
  assert.match(page, new RegExp(`^\\| REGISTER with digest over UDP.*\\| ${perCore.registers} /s`, 'm'));
});
