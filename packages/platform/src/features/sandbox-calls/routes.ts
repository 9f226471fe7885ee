import {
  defaultSandboxCaller,
  defaultSandboxCallSeconds,
  newSandboxCall,
  readBoolean,
  readInteger,
  readOneOf,
  type SandboxCallItem,
  sandboxCallBehaviours,
  sandboxCallBody,
  sandboxCallList,
  sandboxCallListQuery,
  sandboxCallPath,
  startedSandboxCall,
} from '@jackfield/contract';
import type { RecordingFiles } from '@jackfield/ports';
import { fileRoute, type RequestAccount, type RouteGroup, route } from '../../http/index.ts';
import { answerPage } from '../../kernel/pagination.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { fileNameOf } from './placing/heard-recordings.ts';
import type { SandboxCall, SandboxCallOrder } from './placing/sandbox-call.ts';

export interface SandboxCallRouteDeps {
  readonly recordingFiles: RecordingFiles;
  readonly publicUrl: string;
  readonly start: (viewer: RequestAccount, order: SandboxCallOrder) => Promise<Result<SandboxCall>>;
  /** Newest first. */
  readonly seenBy: (viewer: RequestAccount) => readonly SandboxCall[];
  readonly hangUp: (call: string) => void;
}

export function sandboxCallRoutes(deps: SandboxCallRouteDeps): RouteGroup {
  const { recordingFiles, publicUrl, start, seenBy, hangUp } = deps;

  const find: FindCall = (viewer, uuid) => {
    const call = seenBy(viewer).find((each) => each.uuid === uuid.toLowerCase());
    return call === undefined ? refused(notFound('call of a sandbox phone', uuid)) : accepted(call);
  };

  const begin = route({
    method: 'POST',
    path: 'Sandbox/Call/',
    operation: 'Have a sandbox phone call',
    id: 'createSandboxCall',
    description:
      'A phone of the sandbox sends a real INVITE to an endpoint, an application or a number of the account, and records the audio that it hears.',
    schema: { body: newSandboxCall, response: startedSandboxCall },
    success: 201,
    async run({ account, body }) {
      const started = await start(account, {
        to: body.to,
        from: body.from ?? defaultSandboxCaller,
        behaviour: readOneOf(sandboxCallBehaviours, body.behaviour) ?? 'talk',
        digits: body.send_digits,
        hangUpAfterSeconds: readInteger(body.hangup_after) ?? defaultSandboxCallSeconds,
        record: readBoolean(body.record) ?? true,
      });
      if (!started.ok) return started;
      const { uuid, callUuid } = started.value;
      return accepted({ message: 'call started', sandbox_call_uuid: uuid, call_uuid: callUuid });
    },
  });

  const list = route({
    method: 'GET',
    path: 'Sandbox/Call/',
    operation: 'List calls of sandbox phones',
    id: 'listSandboxCalls',
    description:
      'Newest first; the calls that phones of the sandbox made by order since the start of the process.',
    schema: { query: sandboxCallListQuery, response: sandboxCallList },
    success: 200,
    async run({ account, query }) {
      const seen = seenBy(account);
      return answerPage(
        { query, path: `/v1/Account/${account.authId}/Sandbox/Call/` },
        async ({ limit, offset }) => ({ total: seen.length, rows: seen.slice(offset, offset + limit) }),
        (call) => itemOf(call, account, publicUrl),
      );
    },
  });

  const get = route({
    method: 'GET',
    path: 'Sandbox/Call/:sandbox_call_uuid/',
    operation: 'Retrieve a call of a sandbox phone',
    id: 'retrieveSandboxCall',
    schema: { params: sandboxCallPath, response: sandboxCallBody },
    success: 200,
    async run({ account, params }) {
      const found = find(account, params.sandbox_call_uuid);
      return found.ok ? accepted(itemOf(found.value, account, publicUrl)) : found;
    },
  });

  const end = route({
    method: 'DELETE',
    path: 'Sandbox/Call/:sandbox_call_uuid/',
    operation: 'Have a sandbox phone hang up',
    id: 'hangUpSandboxCall',
    description: 'Without effect on a call that has ended.',
    schema: { params: sandboxCallPath },
    success: 204,
    async run({ account, params }) {
      const found = find(account, params.sandbox_call_uuid);
      if (!found.ok) return found;
      hangUp(found.value.uuid);
      return accepted(undefined);
    },
  });

  return { name: 'Sandbox', routes: [begin, list, get, end], files: [recordingRoute(recordingFiles, find)] };
}

type FindCall = (viewer: RequestAccount, uuid: string) => Result<SandboxCall>;

function recordingRoute(recordingFiles: RecordingFiles, find: FindCall) {
  return fileRoute({
    path: 'Sandbox/Call/:sandbox_call_uuid/Recording/',
    operation: 'Fetch the audio that a sandbox phone heard',
    id: 'fetchSandboxRecording',
    description: 'A WAV file from the answer on; there is none before the call has ended.',
    params: sandboxCallPath,
    contentTypes: ['audio/wav'],
    async find({ account, params }) {
      const found = find(account, params.sandbox_call_uuid);
      if (!found.ok) return found;
      const { uuid, recording: state } = found.value;
      const bytes = state === 'complete' ? await recordingFiles.size(fileNameOf(uuid)) : undefined;
      if (bytes === undefined) return refused(notFound('complete recording of the call', uuid));
      return accepted({
        contentType: 'audio/wav',
        bytes,
        entityTag: `"${uuid}-${bytes}"`,
        read: (from, to) => recordingFiles.read(fileNameOf(uuid), from, to),
      });
    },
  });
}

function itemOf(call: SandboxCall, { authId }: RequestAccount, publicUrl: string): SandboxCallItem {
  const { uuid, callUuid, from, to, behaviour, state, recording, end, file } = call;
  const isComplete = recording === 'complete';
  return {
    sandbox_call_uuid: uuid,
    call_uuid: callUuid,
    from,
    to,
    behaviour,
    state,
    started_at: new Date(call.startedAt).toISOString(),
    answered_at: call.answeredAt === null ? null : new Date(call.answeredAt).toISOString(),
    ended_at: call.endedAt === null ? null : new Date(call.endedAt).toISOString(),
    end: end?.by ?? null,
    sip_status: end?.sipStatus ?? null,
    recording,
    recording_url: isComplete ? `${publicUrl}/v1/Account/${authId}/Sandbox/Call/${uuid}/Recording/` : null,
    recording_ms: isComplete && file !== null ? file.durationMs : null,
  };
}
