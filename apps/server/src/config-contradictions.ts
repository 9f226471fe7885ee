import type { ConfigProblem, ConfigReader } from './config-reader.ts';
import type { PortRange } from './config-values.ts';
import { configVariables } from './config-variables.ts';
import { portPairs } from './media-variables.ts';

interface CheckedConfig {
  readonly http: { readonly port: number };
  readonly operator?: { readonly port: number };
  readonly sip: { readonly port: number };
  readonly tls?: { readonly port: number };
  readonly rtpPorts: PortRange;
  readonly mediaWorkers: number;
  readonly sandbox: boolean;
  readonly speaksTones?: boolean;
  readonly webrtcPort?: number | 'off';
}

/** Mistakes that involve several variables. */
export function contradictions(
  {
    http,
    operator,
    sip,
    tls,
    rtpPorts,
    mediaWorkers,
    webrtcPort = 'off',
    sandbox,
    speaksTones,
  }: CheckedConfig,
  { isSet }: Pick<ConfigReader, 'isSet'>,
): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const {
    httpPort,
    operatorHost,
    operatorPort,
    sipPort,
    sipsPort,
    rtpPorts: rtp,
    mediaWorkers: workers,
    webrtcPort: webrtc,
    authId,
    authToken,
    turnUrls,
    turnSecret,
  } = configVariables;
  const { recordingsUrl, recordingsBucket, recordingsKey, recordingsSecret } = configVariables;
  if (http.port === sip.port && http.port !== 0) {
    const sentence = `${sipPort.name} must be another port than ${httpPort.name}, not ${sip.port}: both take TCP`;
    problems.push({ variable: sipPort.name, sentence });
  }
  if (sip.port >= rtpPorts.first && sip.port <= rtpPorts.last) {
    const sentence = `${rtp.name} must leave out the SIP port ${sip.port}, not be ${rtpPorts.first}-${rtpPorts.last}`;
    problems.push({ variable: rtp.name, sentence });
  }
  const pairs = portPairs(rtpPorts);
  if (mediaWorkers > pairs) {
    const sentence = `${workers.name} is ${mediaWorkers}, but ${rtp.name} has ${pairs} pairs of ports: each worker needs one`;
    problems.push({ variable: workers.name, sentence });
  }
  const lastShared = webrtcPort === 'off' ? 0 : webrtcPort + mediaWorkers - 1;
  if (lastShared > 65_535) {
    const sentence = `${webrtc.name} is ${webrtcPort}, but ${mediaWorkers} media workers need a port each: at most ${65_536 - mediaWorkers} is allowed`;
    problems.push({ variable: webrtc.name, sentence });
  }
  for (const [port, variable] of [
    [http.port, httpPort],
    [sip.port, sipPort],
  ] as const) {
    if (tls === undefined || tls.port === 0 || tls.port !== port) continue;
    const sentence = `${sipsPort.name} must be another port than ${variable.name}, not ${port}: both take TCP`;
    problems.push({ variable: sipsPort.name, sentence });
  }
  for (const [port, variable] of [
    [http.port, httpPort],
    [sip.port, sipPort],
    [tls?.port, sipsPort],
  ] as const) {
    if (operator === undefined || operator.port === 0 || operator.port !== port) continue;
    const sentence = `${operatorPort.name} must be another port than ${variable.name}, not ${port}: both take TCP`;
    problems.push({ variable: operatorPort.name, sentence });
  }
  if (isSet(operatorHost) && !isSet(operatorPort)) {
    const sentence = `${operatorHost.name} needs ${operatorPort.name}: there is no listener for the operator without a port`;
    problems.push({ variable: operatorHost.name, sentence });
  }
  for (const pair of [
    [authId, authToken],
    [turnUrls, turnSecret],
    [recordingsUrl, recordingsBucket, recordingsKey, recordingsSecret],
  ] as const) {
    const given = pair.find(isSet);
    const lacking = pair.find((variable) => !isSet(variable));
    if (given === undefined || lacking === undefined) continue;
    const sentence = `${lacking.name} must be set together with ${given.name}`;
    problems.push({ variable: lacking.name, sentence });
  }
  return [
    ...problems,
    ...tonesContradictions({ sandbox, speaksTones: speaksTones === true }, { isSet }),
    ...clusterContradictions(sandbox, { isSet }),
  ];
}

/** Tones are for tests: callers hear no word, and no engine is asked. */
function tonesContradictions(
  { sandbox, speaksTones }: { readonly sandbox: boolean; readonly speaksTones: boolean },
  { isSet }: Pick<ConfigReader, 'isSet'>,
): readonly ConfigProblem[] {
  if (!speaksTones) return [];
  const { name: variable } = configVariables.sandboxSpeech;
  const { voices, speechEngine } = configVariables;
  if (!sandbox) {
    const sentence = `${variable} must be voices outside the sandbox, not tones: callers would hear no words`;
    return [{ variable, sentence }];
  }
  return [voices, speechEngine].filter(isSet).map(({ name }) => ({
    variable: name,
    sentence: `${name} must not be set together with ${variable}=tones: no other engine speaks or recognises then`,
  }));
}

/** Nodes share the database, and the key that opens what it holds. */
function clusterContradictions(
  sandbox: boolean,
  { isSet }: Pick<ConfigReader, 'isSet'>,
): readonly ConfigProblem[] {
  const { natsUrl, natsCredentials, natsCa, node, nodeAddress } = configVariables;
  const { databaseUrl, secretKey, recordingsUrl } = configVariables;
  if (isSet(natsUrl)) {
    // The file of a recording is on one disk: only a store gives it to the other nodes.
    const needed = [databaseUrl, secretKey, ...(sandbox ? [] : [recordingsUrl])];
    return needed
      .filter((variable) => !isSet(variable))
      .map(({ name }) => ({
        variable: name,
        sentence: `${name} must be set together with ${natsUrl.name}: all nodes share it`,
      }));
  }
  return [natsCredentials, natsCa, node, nodeAddress].filter(isSet).map(({ name }) => ({
    variable: name,
    sentence: `${name} needs ${natsUrl.name}: without it one process owns the database`,
  }));
}
