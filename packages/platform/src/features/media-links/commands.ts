import { BusError, type LegMeasures, type Logger, type MediaLegs, type Secrets } from '@jackfield/ports';
import { tokenOf } from '../../kernel/incarnation.ts';
import { notFound, type Problem, problem } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import type { Sessions } from '../../kernel/session-runner.ts';
import { type Calls, type LiveLeg, liveCallOf } from '../calls/index.ts';
import { agreedWith, audioAt, newTerms } from './audio/link-audio.ts';
import { type MediaLink, type MediaLinkInput, newMediaLink } from './domain/media-link.ts';
import { newRemoteLeg } from './domain/remote-leg.ts';
import { audioOf, borrowerOf } from './link-sessions.ts';
import type { Arrival, ClaimMessage, JoinAnswer, JoinMessage, LinkMessages } from './nodes/link-messages.ts';
import type { Admitted, ClaimedLeg, ClaimRequest, Conversations, JoinRequest } from './public-api.ts';
import type { RemoteLegs } from './remote-leg-sessions.ts';

export interface CommandDeps {
  readonly log: Logger;
  readonly secrets: Pick<Secrets, 'randomBytes'>;
  readonly newUuid: () => string;
  readonly media: LegMeasures;
  readonly mediaLegs: MediaLegs;
  /** At which other nodes reach the audio of this one. */
  readonly mediaAddress: string;
  readonly calls: Calls;
  readonly links: Sessions<MediaLink, MediaLinkInput>;
  readonly remote: RemoteLegs;
  readonly messages: LinkMessages;
}

const retryAfterSeconds = 2;

type Joined = Result<Admitted> | 'not-there';

export function createCommands(deps: CommandDeps) {
  return {
    join: (request: JoinRequest) => join(deps, request),
    claim: (request: ClaimRequest) => claim(deps, request),
    give: (message: ClaimMessage, from: string) => give(deps, message, from),
    admit: (conversations: Conversations, message: JoinMessage, from: string) =>
      admit(deps, conversations, message, from),
  };
}

/** At the home of the leg. */
async function join(deps: CommandDeps, { order, leg: name, home, mix }: JoinRequest): Promise<Joined> {
  const node = tokenOf(home);
  if (name === undefined) return joinedBy(await answerOf(deps, node, { order }));
  const leg = deps.calls.peek(name);
  if (leg?.phase !== 'answered' || leg.isPrivate) return refused(notFound('answered call', name));
  return linked(deps, leg, node, { order, mix }, { isTaken: false, exitDocument: null });
}

/** At the home of the conversation: the home of the leg asks for admission in turn. */
async function claim(
  { messages, log }: CommandDeps,
  { home, ...message }: ClaimRequest,
): Promise<Result<ClaimedLeg>> {
  const node = tokenOf(home);
  try {
    return await messages.claim(node, message);
  } catch (err) {
    if (!(err instanceof BusError)) throw err;
    log.warn({ node, leg: message.leg, err }, 'the home of a call gave no answer to a request that moves it');
    return refused(err.code === 'bus-no-answer' ? claimUnknown(message.leg) : claimNotReached(message.leg));
  }
}

/** At the home of the leg, for another node: takes it from its owner when it is admitted there. */
async function give(
  deps: CommandDeps,
  { order, viewer, leg: name, mix, exitDocument }: ClaimMessage,
  from: string,
): Promise<Result<ClaimedLeg>> {
  const found = liveCallOf(deps.calls, { authId: viewer }, name);
  if (!found.ok) return found;
  const leg = found.value;
  if (leg.phase !== 'answered') return refused(notAnswered(name));
  const given = await linked(deps, leg, from, { order, mix }, { isTaken: true, exitDocument });
  if (given === 'not-there') return refused(notFound('live call', name));
  return given.ok ? accepted({ ...given.value, from: leg.from, to: leg.to }) : given;
}

/** Opens the audio of a link, asks for admission, and lends the leg or has it taken. */
async function linked(
  deps: CommandDeps,
  leg: LiveLeg,
  node: string,
  { order, mix }: Pick<JoinMessage, 'order'> & Pick<Arrival, 'mix'>,
  kept: Pick<MediaLink, 'isTaken' | 'exitDocument'>,
): Promise<Joined> {
  const name = leg.leg;
  const link = deps.newUuid();
  const terms = newTerms(deps.secrets, (await deps.media.measure([name]))[0]);
  let audio: Arrival['audio'];
  try {
    audio = audioAt(deps.mediaAddress, await deps.mediaLegs.open(audioOf(link), undefined, name));
  } catch (err) {
    deps.log.error({ leg: name, err }, 'audio of a media link not opened');
    return refused(noAudio('this node'));
  }
  const answer = await answerOf(deps, node, { order, arrival: { link, leg, mix, audio, terms } }).catch(
    async (error: unknown) => {
      await deps.mediaLegs.close(audioOf(link));
      throw error;
    },
  );
  if (answer.outcome !== 'admitted' || answer.audio === undefined) {
    await deps.mediaLegs.close(audioOf(link));
    return joinedBy(answer);
  }
  deps.mediaLegs.connect(audioOf(link), agreedWith(answer.audio, terms, 'leg'));
  const { fields } = answer.admitted;
  await deps.links.open(link, newMediaLink({ link, leg: name, node, fields, ...kept }), { type: 'opened' });
  const { lend, take } = deps.calls;
  if (await (kept.isTaken ? take : lend)(name, borrowerOf(link))) {
    deps.links.send(link, { type: 'lent' });
    return accepted(answer.admitted);
  }
  deps.links.send(link, { type: 'not-lent' });
  return refused(notFound('live call', name));
}

/** The answer, or why there is none. A leg that the other node has admitted all the same leaves there after ten seconds. */
async function answerOf(
  { messages, log }: CommandDeps,
  node: string,
  message: JoinMessage,
): Promise<JoinAnswer> {
  try {
    return await messages.join(node, message);
  } catch (err) {
    if (!(err instanceof BusError)) throw err;
    log.warn({ node, err }, 'the home of a multiparty call gave no answer to a call that joins it');
    return { outcome: 'refused', problem: noAnswer };
  }
}

const noAnswer: Problem = problem(
  'unavailable',
  'the multiparty call lives at another node, which cannot be reached now',
);

function notAnswered(call: string): Problem {
  return problem(
    'conflict',
    `call ${call} lives at another node than the multiparty call, and joins it once it is answered`,
  );
}

function claimNotReached(call: string): Problem {
  const sentence = `the node where call ${call} lives cannot be reached, and nothing has been changed: try again in ${retryAfterSeconds} s`;
  return { ...problem('unavailable', sentence), retryAfterSeconds };
}

function claimUnknown(call: string): Problem {
  const sentence = `the node where call ${call} lives has not answered in time, and may have carried out the request: list the participants`;
  return { ...problem('unavailable', sentence), retryAfterSeconds };
}

function joinedBy(answer: JoinAnswer): Joined {
  if (answer.outcome === 'not-there') return 'not-there';
  return answer.outcome === 'refused' ? refused(answer.problem) : accepted(answer.admitted);
}

/** At the home of the conversation. */
async function admit(
  deps: CommandDeps,
  conversations: Conversations,
  { order, arrival }: JoinMessage,
  from: string,
): Promise<JoinAnswer> {
  if (arrival === undefined) return answerTo(await conversations.admit(order));
  const { remote, mediaLegs, mediaAddress, log } = deps;
  const { link, leg, mix, audio, terms } = arrival;
  await superseded(remote, leg);
  let opened: Arrival['audio'];
  try {
    opened = audioAt(mediaAddress, await mediaLegs.open(leg.leg, undefined, mix));
  } catch (err) {
    log.error({ leg: leg.leg, err }, 'audio of a remote leg not opened');
    return { outcome: 'refused', problem: noAudio('the node of the multiparty call') };
  }
  mediaLegs.connect(leg.leg, agreedWith(audio, terms, 'room'));
  await remote.open(newRemoteLeg({ link, leg, node: from }));
  const withdraw = () => remote.sessions.send(link, { type: 'not-admitted' });
  try {
    const admitted = answerTo(await conversations.admit(order));
    if (admitted.outcome === 'admitted') return { ...admitted, audio: opened };
    withdraw();
    return admitted;
  } catch (error) {
    withdraw();
    throw error;
  }
}

function answerTo(joined: Joined): JoinAnswer {
  if (joined === 'not-there') return { outcome: 'not-there' };
  return joined.ok
    ? { outcome: 'admitted', admitted: joined.value }
    : { outcome: 'refused', problem: joined.problem };
}

/** Its home links it again before this node has noticed that the last link is over. */
async function superseded({ sessions, find, closed }: RemoteLegs, { leg }: LiveLeg): Promise<void> {
  const before = find(leg);
  if (before !== undefined) {
    sessions.send(before.link, { type: 'superseded' });
    await sessions.whenOver(before.link);
  }
  await closed(leg);
}

function noAudio(where: string): Problem {
  return problem('limit-reached', `${where} has no port left for its audio`);
}
