import {
  mpcMemberPath,
  type NewMemberPlay,
  newMemberPlay,
  newMemberSpeech,
  queuedSound,
  readRequest,
} from '@jackfield/contract';
import { type RouteGroup, route } from '../../http/index.ts';
import { missingParameter } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { readPlay, readSpeech, type SoundSpec } from '../call-actions/index.ts';
import type { MultipartyCallCommands } from './commands.ts';
import { readCallReference } from './domain/call-reference.ts';
import type { Callback } from './domain/participant.ts';
import type { RequestedPlay } from './domain/room-play.ts';
import type { Viewer } from './queries.ts';
import { requestedMembers, withoutBody } from './rooms/requested-call.ts';

interface MemberPath {
  readonly mpc: string;
  readonly member_id: string;
}

/** Files and texts for one, several or all members of a multiparty call (docs/interface/multiparty-calls.md#operations). */
export function memberSoundRoutes(commands: MultipartyCallCommands): RouteGroup['routes'] {
  async function start(
    viewer: Viewer,
    { mpc, member_id }: MemberPath,
    of: 'play' | 'speak',
    spec: Result<SoundSpec>,
    callback: Callback | null,
  ) {
    if (!spec.ok) return spec;
    const members = requestedMembers(member_id);
    if (!members.ok) return members;
    const sound: Omit<RequestedPlay, 'key'> = { of, ...spec.value, lengthMs: null, callback };
    const playing = await commands.play(viewer, readCallReference(mpc), members.value, sound);
    if (!playing.ok) return playing;
    const { call, memberIds } = playing.value;
    const queued = {
      message: `${of} queued into MPC`,
      mpcMemberId: memberIds.map(String),
      mpcName: call.friendly_name,
    };
    return accepted(queued, spec.warnings);
  }

  async function stop(viewer: Viewer, { mpc, member_id }: MemberPath, of: 'play' | 'speak') {
    const members = requestedMembers(member_id);
    if (!members.ok) return members;
    return withoutBody(await commands.stopPlay(viewer, readCallReference(mpc), of, members.value));
  }

  const path = 'MultiPartyCall/:mpc/Member/:member_id' as const;
  return [
    route({
      method: 'POST',
      path: `${path}/Play/`,
      operation: 'Play MP3 or WAV files to one participant, several or all',
      id: 'playToParticipants',
      description:
        'all: the members in the conversation at that moment. A second play to the same members replaces the first.',
      schema: { params: mpcMemberPath, body: newMemberPlay, response: queuedSound },
      success: 202,
      run: ({ account, params, body }) => start(account, params, 'play', readMemberPlay(body), null),
    }),
    route({
      method: 'DELETE',
      path: `${path}/Play/`,
      operation: 'Stop what is played to these participants',
      id: 'stopPlayingToParticipants',
      description:
        'Name the members as in the request that started it: all does not stop a play to one member.',
      schema: { params: mpcMemberPath },
      success: 204,
      run: ({ account, params }) => stop(account, params, 'play'),
    }),
    route({
      method: 'POST',
      path: `${path}/Speak/`,
      operation: 'Speak a text to one participant, several or all',
      id: 'speakToParticipants',
      schema: { params: mpcMemberPath, body: newMemberSpeech, response: queuedSound },
      success: 202,
      run: ({ account, params, body }) => {
        const callback = readRequest(body.callback_url, body.callback_method);
        return start(account, params, 'speak', readSpeech(body), callback);
      },
    }),
    route({
      method: 'DELETE',
      path: `${path}/Speak/`,
      operation: 'Stop what is spoken to these participants',
      id: 'stopSpeakingToParticipants',
      schema: { params: mpcMemberPath },
      success: 204,
      run: ({ account, params }) => stop(account, params, 'speak'),
    }),
  ];
}

function readMemberPlay({ urls, url, ...rest }: NewMemberPlay): Result<SoundSpec> {
  const given = urls ?? url;
  if (given === undefined) return refused(missingParameter('urls'));
  return readPlay({ ...rest, urls: given }, urls === undefined ? 'url' : 'urls');
}
