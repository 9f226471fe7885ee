import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pcma, pcmu } from '../codec/g711.ts';
import { PayloadCodecs } from './payload-codecs.ts';

test('a payload type has the codec that names it last, and none after it was replaced', () => {
  const codecs = new PayloadCodecs();
  assert.equal(codecs.at(0), undefined);
  codecs.set([
    { payloadType: 0, codec: pcma },
    { payloadType: 8, codec: pcma },
    { payloadType: 0, codec: pcmu },
  ]);
  assert.deepEqual([codecs.at(0), codecs.at(8), codecs.at(9)], [pcmu, pcma, undefined]);
  codecs.set([{ payloadType: 8, codec: pcma }]);
  assert.deepEqual([codecs.at(0), codecs.samplesIn(8, new Uint8Array(80), 0, 80)], [undefined, 80]);
  assert.equal(codecs.samplesIn(0, new Uint8Array(80), 0, 80), 0);
});
