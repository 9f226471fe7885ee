import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { missingSpeech, speakingCaller } from './support/speaking-caller.ts';

const skip = missingSpeech();
/** Once, or again where the recording goes on. */
const words = /^one two three(?: one two three)*$/;
const masked = /^# # #(?: # # #)*$/;

/** A phone that speaks, the server, its recorder, and a recogniser that others wrote. */
describe('the transcript of a recording', { skip, timeout: 180_000 }, () => {
  const suite = speakingCaller();

  const urlOf = (path: string) => `http://127.0.0.1:${suite.server.port}${path}`;

  async function called(path: string, document: string): Promise<string> {
    const { status, body } = await suite.platform.api('POST', 'Call/', {
      from: '+12025550100',
      to: `sip:${suite.username}@sip.localhost`,
      answer_url: suite.server.serve(path, `<Response>${document}</Response>`),
      hangup_url: urlOf(`${path}-hangup`),
    });
    assert.equal(status, 201, JSON.stringify(body));
    const { fields } = await suite.server.asked(path);
    return fields.get('CallUUID')!;
  }

  /** Resolves when words of a recording other than `before` are in the event stream, with its identifier. */
  async function recordedWords(before?: string): Promise<string> {
    const recordingIn = (body: { objects: readonly { data: { RecordingID: string } }[] }) =>
      body.objects.map(({ data }) => data.RecordingID).find((recording) => recording !== before);
    const events = await suite.platform.until(
      'words of a running recording',
      'Event/?type=recording.words&limit=100',
      (body) => recordingIn(body) !== undefined,
    );
    return recordingIn(events)!;
  }

  let recorded = '';

  it('of a Record element has what the caller said, when, and on which track; no log line has it', async () => {
    const call = await called(
      '/record',
      `<Record maxLength="60" timeout="60" playBeep="false" transcriptionUrl="${urlOf('/text')}" callbackUrl="${urlOf('/recorded')}"/><Hangup/>`,
    );
    recorded = await recordedWords();
    assert.equal((await suite.platform.api('DELETE', `Call/${call}/`)).status, 204);
    const { fields } = await suite.server.asked('/text');
    assert.match(fields.get('transcription') ?? '', words);
    assert.equal(fields.get('error'), '');
    assert.equal(fields.get('recording_id'), recorded);
    const { body } = await suite.platform.api('GET', `Recording/${recorded}/Transcript/`);
    assert.deepEqual([body.status, body.words[0].track], ['completed', 'inbound']);
    const { from_ms: fromMs, to_ms: toMs, text } = body.words[0];
    const { fields: file } = await suite.server.asked('/recorded');
    const lengthMs = Number(file.get('RecordingDurationMs'));
    assert.ok(fromMs < toMs && toMs < Math.min(lengthMs, fromMs + 5_000), `${fromMs} to ${toMs} ms`);
    await suite.server.asked('/record-hangup');
    for (const line of suite.platform.log.all)
      assert.ok(!JSON.stringify(line).includes(text), JSON.stringify(line));
  });

  it('of a participant has what this member said', async () => {
    const added = await suite.platform.api('POST', 'MultiPartyCall/name_spoken/Participant/', {
      role: 'agent',
      from: '+12025550100',
      to: suite.username,
      record_participant_track: true,
      transcript: true,
      transcription_url: urlOf('/member-text'),
      transcription_method: 'GET',
    });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    const recording = await recordedWords(recorded);
    assert.equal((await suite.platform.api('DELETE', 'MultiPartyCall/name_spoken/')).status, 204);
    const { fields } = await suite.server.asked('/member-text');
    assert.match(fields.get('transcription') ?? '', words);
    assert.equal(fields.get('RecordingID'), recording);
    const { body } = await suite.platform.api('GET', `Recording/${recording}/Transcript/`);
    assert.deepEqual([body.status, body.words[0].track], ['completed', null]);
    const { body: file } = await suite.platform.api('GET', `Recording/${recording}/`);
    assert.deepEqual([body.words[0].member_id, fields.get('MPCUUID')], [file.member_id, file.mpc_uuid]);
  });

  it('is complete after kill -9 of the server while it records', async () => {
    const call = await called('/killed', '<Wait length="60" silence="true"/>');
    const { status, body } = await suite.platform.api('POST', `Call/${call}/Record/`, {
      file_format: 'wav',
      transcription_url: urlOf('/killed-text'),
      transcription_redact: 'digits',
    });
    assert.equal(status, 202, JSON.stringify(body));
    // The words are on the disk.
    await suite.platform.until(
      'the first words',
      `Recording/${body.recording_id}/Transcript/`,
      (transcript) => transcript.total_count > 0,
    );
    await suite.platform.killAndRestart();
    const { fields: text } = await suite.server.asked('/killed-text');
    assert.match(text.get('transcription') ?? '', masked);
    const after = await suite.platform.api('GET', `Recording/${body.recording_id}/Transcript/`);
    assert.equal(after.body.status, 'completed');
    assert.ok(after.body.total_count > 0);
    assert.equal((await suite.platform.api('DELETE', `Recording/${body.recording_id}/`)).status, 204);
    assert.equal((await suite.platform.api('GET', `Recording/${body.recording_id}/Transcript/`)).status, 404);
  });
});
