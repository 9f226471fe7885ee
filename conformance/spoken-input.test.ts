import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { missingSpeech, speakingCaller } from './support/speaking-caller.ts';

const skip = missingSpeech();
/** Longer than the caller waits with its words. */
const prompt =
  'Please say the numbers on the card in your hand, or press the keys of your telephone, one after the other, and take your time.';

/** The whole way: a phone that speaks, the server, and a recogniser that others wrote. */
describe('a caller who speaks to a document', { skip, timeout: 120_000 }, () => {
  const suite = speakingCaller({ JACKFIELD_SPEECH_ENGINE_LANGUAGES: 'en' });

  /** Calls the phone with this GetInput, and a hangup behind it. */
  async function called(path: string, attributes: string): Promise<void> {
    const action = `http://127.0.0.1:${suite.server.port}${path}-said`;
    suite.server.serve(`${path}-said`, '<Response><Hangup/></Response>');
    const answerUrl = suite.server.serve(
      path,
      `<Response><GetInput action="${action}" ${attributes}><Speak>${prompt}</Speak></GetInput><Hangup/></Response>`,
    );
    const { status, body } = await suite.platform.api('POST', 'Call/', {
      from: '+12025550100',
      to: `sip:${suite.username}@sip.localhost`,
      answer_url: answerUrl,
      hangup_url: `http://127.0.0.1:${suite.server.port}${path}-hangup`,
    });
    assert.equal(status, 201, JSON.stringify(body));
  }

  it('interrupts the prompt, is understood, and no word of it is in the log', async () => {
    await called(
      '/speech',
      'inputType="dtmf speech" language="en-US" interimSpeechResultsCallback="http://127.0.0.1:9/"',
    );
    // Without words the document goes on to its hangup: a recogniser that is starved fails here, and not by the limit of the suite.
    await suite.server.asked('/speech-hangup');
    const { fields } = await suite.server.asked('/speech-said');
    assert.equal(fields.get('InputType'), 'speech');
    const words = fields.get('Speech') ?? '';
    assert.equal(words, 'one two three');
    assert.ok(Number(fields.get('SpeechConfidenceScore')) > 0);
    assert.ok(suite.platform.log.all.length > 10, 'the log was read');
    for (const line of suite.platform.log.all)
      assert.ok(!JSON.stringify(line).includes(words), JSON.stringify(line));
    const metrics = await suite.platform.metrics('jackfield_recognition');
    assert.equal(metrics['jackfield_recognitions_ended_total{outcome="complete"}'], 1);
    assert.equal(metrics.jackfield_recognitions, 0);
  });

  it('in a language that the engine lacks continues with the next element, and the metrics name the failure', async () => {
    await called('/french', 'inputType="speech" language="fr-FR"');
    await suite.server.asked('/french-hangup');
    const metrics = await suite.platform.metrics('jackfield_recognitions_ended_total');
    assert.equal(metrics['jackfield_recognitions_ended_total{outcome="unknown-language"}'], 1);
  });
});
