import { BusError, callEnds } from '@jackfield/ports';
import { tokenOf } from '../../kernel/incarnation.ts';
import { notFound, type Problem, problem, unavailableAs } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import { liveCallOf } from '../calls/index.ts';
import type { MediaLink } from './domain/media-link.ts';
import { arrived, type Joined, type Joining, joinedBy, type LinkingDeps, linked } from './legs/linking.ts';
import type { Arrival, ClaimMessage, JoinAnswer, JoinMessage, LinkMessages } from './nodes/link-messages.ts';
import type { Admitted, ClaimedLeg, ClaimRequest, Conversations, JoinRequest } from './public-api.ts';

export interface CommandDeps extends LinkingDeps {
  readonly messages: LinkMessages;
}

const retryAfterSeconds = 2;

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
async function join(
  deps: CommandDeps,
  { order, leg: name, home, mix }: JoinRequest,
): Promise<Joined<Admitted>> {
  const node = tokenOf(home);
  if (name === undefined) return joinedBy(await answerOf(deps, node, { order }));
  const leg = deps.calls.peek(name);
  if (leg?.phase !== 'answered' || leg.isPrivate) return refused(notFound('answered call', name));
  return linked(deps, leg, joining(deps, node, { order, mix }, { isTaken: false, exitDocument: null }));
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
  await deps.calls.whenRecorded(name);
  const found = liveCallOf(deps.calls, { authId: viewer }, name);
  if (!found.ok) return found;
  const leg = found.value;
  if (leg.phase !== 'answered') return refused(notAnswered(name));
  const joined = joining(deps, from, { order, mix }, { isTaken: true, exitDocument });
  const given = await linked(deps, leg, joined);
  if (given === 'not-there') return refused(notFound('live call', name));
  return given.ok ? accepted({ ...given.value, from: leg.from, to: leg.to }) : given;
}

/** Of a multiparty call. */
function joining(
  deps: CommandDeps,
  node: string,
  { order, mix }: Pick<JoinRequest, 'order' | 'mix'>,
  kept: Pick<MediaLink, 'isTaken' | 'exitDocument'>,
): Joining<Admitted> {
  const ask = (arrival: Arrival) => answerOf(deps, node, { order, arrival });
  return { node, beside: mix, ask, ...kept, endOfLoss: callEnds(4020, 'Service') };
}

/** The answer, or why there is none. A leg that the other node has admitted all the same leaves there after ten seconds. */
async function answerOf(
  { messages, log }: CommandDeps,
  node: string,
  message: JoinMessage,
): Promise<JoinAnswer<Admitted>> {
  try {
    return await messages.join(node, message);
  } catch (err) {
    if (!(err instanceof BusError)) throw err;
    log.warn({ node, err }, 'the home of a multiparty call gave no answer to a call that joins it');
    return { outcome: 'refused', problem: noAnswer };
  }
}

const noAnswer = unreached('the multiparty call lives at another node, which cannot be reached now');

function unreached(sentence: string): Problem {
  return unavailableAs(`${sentence}: try again in ${retryAfterSeconds} s`, retryAfterSeconds);
}

function notAnswered(call: string): Problem {
  return problem(
    'conflict',
    `call ${call} lives at another node than the multiparty call, and joins it once it is answered`,
  );
}

function claimNotReached(call: string): Problem {
  return unreached(`the node where call ${call} lives cannot be reached, and nothing has been changed`);
}

function claimUnknown(call: string): Problem {
  const sentence = `the node where call ${call} lives has not answered in time, and may have carried out the request: list the participants`;
  return unavailableAs(sentence, retryAfterSeconds);
}

/** At the home of the conversation. */
async function admit(
  deps: CommandDeps,
  conversations: Conversations,
  { order, arrival }: JoinMessage,
  from: string,
): Promise<JoinAnswer<Admitted>> {
  const admitted = async () => answerTo(await conversations.admit(order));
  return arrival === undefined ? admitted() : arrived(deps, arrival, from, admitted);
}

function answerTo(joined: Joined<Admitted>): JoinAnswer<Admitted> {
  if (joined === 'not-there') return { outcome: 'not-there' };
  return joined.ok
    ? { outcome: 'admitted', admitted: joined.value }
    : { outcome: 'refused', problem: joined.problem };
}
