import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSimulatedRecognition, incomingCall, worldOfSuite } from '@jackfield/testkit';
import { clipsOf, eventsOf, requestsTo, response, spoken } from './testing/documents.ts';

const action = 'https://example.com/said';

describe('Documents that listen for speech', () => {
  const recognition = createSimulatedRecognition(() => {});
  const suite = worldOfSuite({ phones: 'none', recognition });
  const input = (attributes: string) =>
    response(`<GetInput action="${action}" ${attributes}/>`, '<Speak>Bye</Speak>');

  test('words reach the action and no event', async () => {
    const world = suite();
    const leg = await incomingCall(world, input('inputType="speech" language="en-GB" hints="yes,no"'));
    const [order] = recognition.orders;
    assert.deepEqual(
      [order?.language, order?.hints, order?.track],
      ['en-GB', ['yes', 'no'], { said: [leg], heard: [] }],
    );
    recognition.recognise('yes please', { confidence: 0.9 });
    await world.advance(1_100);
    recognition.over();
    await world.advance(100);
    const [{ fields } = {} as never] = requestsTo(world, action);
    assert.deepEqual(
      [fields.InputType, fields.Speech, fields.SpeechConfidenceScore],
      ['speech', 'yes please', '0.90'],
    );
    assert.doesNotMatch(JSON.stringify(await eventsOf(world, leg)), /yes please/);
  });

  test('an engine that is away gives one event, and the document goes on', async () => {
    const world = suite();
    const leg = await incomingCall(world, input('inputType="speech"'));
    recognition.over('engine-unreachable');
    await world.advance(100);
    const warnings = (await eventsOf(world, leg)).filter(({ type }) => type === 'call.document-warning');
    assert.equal(warnings.length, 1);
    assert.match(JSON.stringify(warnings), /engine-unreachable/);
    assert.deepEqual(clipsOf(world).at(-1), [leg, spoken('Bye')]);
  });

  test('the end of the call ends its recognition', async () => {
    const world = suite();
    const leg = await incomingCall(world, input('inputType="dtmf speech"'));
    assert.equal(recognition.orders.length, 1);
    await world.api('DELETE', `Call/${leg}/`);
    await world.advance(100);
    assert.deepEqual(recognition.orders, []);
  });
});
