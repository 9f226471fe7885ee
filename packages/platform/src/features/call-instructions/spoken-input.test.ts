import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSimulatedRecognition, incomingCall, toneFile, worldOfSuite } from '@jackfield/testkit';
import { clipsOf, eventsOf, requestsTo, response, spoken } from './testing/documents.ts';

const action = 'https://example.com/said';
const question = 'https://example.com/question.wav';

describe('Documents that listen for speech', () => {
  const recognition = createSimulatedRecognition(() => {});
  const suite = worldOfSuite({ phones: 'none', recognition });
  const input = (attributes: string, url = action) =>
    response(`<GetInput action="${url}" ${attributes}/>`, '<Speak>Bye</Speak>');

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

  test('partial results reach their callback while the caller speaks, and the engine gets the options', async () => {
    const world = suite();
    const interim = 'https://example.com/partial';
    const options = `profanityFilter="true" interimSpeechResultsCallback="${interim}"`;
    await incomingCall(world, input(`inputType="speech" ${options}`, `${action}-partly`));
    const [order] = recognition.orders;
    assert.deepEqual([order?.profanityFilter, order?.interim], [true, true]);
    recognition.recognise('yes pl', { isFinal: false, confidence: 0.4 });
    await world.advance(100);
    const [{ fields } = {} as never] = requestsTo(world, interim);
    assert.deepEqual(
      [fields.UnstableSpeech, fields.StableSpeech, fields.SequenceNumber],
      ['yes pl', '', '0'],
    );
    assert.deepEqual(requestsTo(world, `${action}-partly`), []);
    recognition.over('engine-failed');
    await world.advance(100);
  });

  for (const prompt of ['<Speak>Yes or no?</Speak>', `<Play>${question}</Play>`]) {
    test(`words interrupt ${prompt}`, async () => {
      const world = suite();
      world.customer.serve(question, { status: 200, body: toneFile(440, 5000) });
      const leg = await incomingCall(
        world,
        response(`<GetInput action="${action}" inputType="speech">${prompt}</GetInput>`),
      );
      await world.advance(100);
      assert.deepEqual(
        clipsOf(world).map(([to]) => to),
        [leg],
      );
      recognition.recognise('yes', { isFinal: false });
      await world.advance(20);
      assert.deepEqual(clipsOf(world), []);
    });
  }

  test('a key decides for keys while speech is input too, and nothing is recognised any more', async () => {
    const world = suite();
    const pressed = `${action}-pressed`;
    const leg = await incomingCall(world, input('inputType="dtmf speech" finishOnKey="#"', pressed));
    recognition.recognise('fi', { isFinal: false });
    world.telephony.press(leg, '5#');
    await world.advance(100);
    const [{ fields } = {} as never] = requestsTo(world, pressed);
    assert.deepEqual([fields.InputType, fields.Digits, fields.Speech], ['dtmf', '5', undefined]);
    assert.deepEqual(recognition.orders, []);
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
