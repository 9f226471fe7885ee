import {
  callLegs,
  liveCallPath,
  newCallDigits,
  newCallPlay,
  newCallRecording,
  newCallSpeech,
  readOneOf,
  sentDigits,
  startedCallRecording,
  startedPlay,
  startedSpeech,
  stoppedCallRecording,
} from '@jackfield/contract';
import { type ApiRoute, type RouteGroup, route } from '../../http/index.ts';
import { accepted } from '../../kernel/result.ts';
import { beginPlay, endPlay, sendDigits } from './commands.ts';
import type { CommandDeps, Legs } from './legs/requested-legs.ts';
import { readPlay, readRecording, readSpeech } from './parameters.ts';
import { endRecordings, startRecording } from './recording-commands.ts';

export function callActionRoutes(deps: CommandDeps): RouteGroup {
  return {
    name: 'Live calls',
    description: 'Actions on a live call: play, speak, record, send digits.',
    routes: [...playRoutes(deps), ...speechRoutes(deps), ...recordingRoutes(deps), digitsRoute(deps)],
  };
}

function playRoutes(deps: CommandDeps): readonly ApiRoute[] {
  const path = 'Call/:call_uuid/Play/';
  return [
    route({
      method: 'POST',
      path,
      operation: 'Play audio files to a live call',
      id: 'playToCall',
      description:
        'One play at a time: a new one replaces the one before. A file that cannot be played emits the event sound.failed.',
      schema: { params: liveCallPath, body: newCallPlay, response: startedPlay },
      success: 202,
      async run({ account, params, body }) {
        const spec = readPlay(body);
        if (!spec.ok) return spec;
        const { call_uuid } = params;
        const begun = await beginPlay(deps, account, call_uuid, legsOf(body.legs), 'play', spec.value);
        return begun.ok ? accepted({ message: 'play started' }) : begun;
      },
    }),
    route({
      method: 'DELETE',
      path,
      operation: 'Stop playing to a live call',
      id: 'stopPlayingToCall',
      schema: { params: liveCallPath },
      success: 204,
      run: ({ account, params }) => endPlay(deps, account, params.call_uuid, 'play'),
    }),
  ];
}

function speechRoutes(deps: CommandDeps): readonly ApiRoute[] {
  const path = 'Call/:call_uuid/Speak/';
  return [
    route({
      method: 'POST',
      path,
      operation: 'Speak a text to a live call',
      id: 'speakToCall',
      description:
        'One text at a time: a new one replaces the one before. Markup that is not followed is in warnings; a text that cannot be spoken emits the event sound.failed.',
      schema: { params: liveCallPath, body: newCallSpeech, response: startedSpeech },
      success: 202,
      async run({ account, params, body }) {
        const spec = readSpeech(body);
        if (!spec.ok) return spec;
        const { call_uuid } = params;
        const begun = await beginPlay(deps, account, call_uuid, legsOf(body.legs), 'speech', spec.value);
        return begun.ok ? accepted({ message: 'speak started' }, spec.warnings) : begun;
      },
    }),
    route({
      method: 'DELETE',
      path,
      operation: 'Stop speaking to a live call',
      id: 'stopSpeakingToCall',
      schema: { params: liveCallPath },
      success: 204,
      run: ({ account, params }) => endPlay(deps, account, params.call_uuid, 'speech'),
    }),
  ];
}

function recordingRoutes(deps: CommandDeps): readonly ApiRoute[] {
  const path = 'Call/:call_uuid/Record/';
  return [
    route({
      method: 'POST',
      path,
      operation: 'Record a live call',
      id: 'recordCall',
      schema: { params: liveCallPath, body: newCallRecording, response: startedCallRecording },
      success: 202,
      async run({ account, params, body }) {
        const spec = readRecording(body, deps.recordings.canTranscribe);
        if (!spec.ok) return spec;
        const started = await startRecording(deps, account, params.call_uuid, spec.value);
        if (!started.ok) return started;
        const { recording, url } = started.value;
        return accepted({ message: 'call recording started', recording_id: recording, url });
      },
    }),
    route({
      method: 'DELETE',
      path,
      operation: 'Stop the recordings of a live call that this API has started, or one of them',
      id: 'stopCallRecordings',
      schema: { params: liveCallPath, query: stoppedCallRecording },
      success: 204,
      run({ account, params, query }) {
        const which = query.recording_id?.toLowerCase() ?? query.URL ?? query.url ?? null;
        return endRecordings(deps, account, params.call_uuid, which);
      },
    }),
  ];
}

function digitsRoute(deps: CommandDeps): ApiRoute {
  return route({
    method: 'POST',
    path: 'Call/:call_uuid/DTMF/',
    operation: 'Send digits to a live call',
    id: 'sendDigits',
    schema: { params: liveCallPath, body: newCallDigits, response: sentDigits },
    success: 202,
    async run({ account, params, body }) {
      const sent = sendDigits(deps, account, params.call_uuid, legsOf(body.leg), String(body.digits));
      return sent.ok ? accepted({ message: 'digits sent' }) : sent;
    },
  });
}

function legsOf(value: string | undefined): Legs {
  return readOneOf(callLegs, value) ?? 'aleg';
}
