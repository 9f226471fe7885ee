import type { AudioOptions } from '../browser/audio-devices.ts';
import type { CallInfo } from './call-info.ts';

/** Options of the hosted SDK that have a meaning here; the others are accepted and change nothing. The name is the hosted SDK's. */
export interface ConfiguationOptions {
  /** The WebSocket of your Jackfield, such as `wss://voice.example.com/sip`; the first of several. */
  readonly registrationDomainSocket: string | readonly string[];
  /** The SIP domain of the server; the default is the host of the WebSocket. Ours, not the hosted SDK's. */
  readonly domain?: string;
  /** Whether a second call may come in; without it the caller gets busy. */
  readonly allowMultipleIncomingCalls?: boolean;
  /** Whether the quality of calls goes to your server; the default is yes. */
  readonly enableTracking?: boolean;
  readonly audioConstraints?: MediaTrackConstraints;
  /** Ours: what else the phone does with audio. */
  readonly audio?: AudioOptions;
  readonly [option: string]: unknown;
}

/** Something about the quality of a call. */
export interface MediaMetric {
  readonly group: 'network' | 'audio';
  readonly level: 'warning';
  readonly type: string;
  readonly active: boolean;
  readonly value: number;
  readonly desc: string;
  readonly stream: 'local' | 'remote' | 'none';
}

/** Arguments of the events, by their names. */
export interface ClientEvents {
  readonly onLogin: readonly [];
  readonly onLoginFailed: readonly [cause: string];
  readonly onLogout: readonly [cause?: string];
  readonly onCalling: readonly [];
  readonly onCallRemoteRinging: readonly [CallInfo];
  readonly onCallAnswered: readonly [CallInfo];
  readonly onMediaConnected: readonly [CallInfo];
  readonly onCallTerminated: readonly [{ readonly originator: string; readonly reason: string }, CallInfo];
  readonly onCallFailed: readonly [cause: string, CallInfo];
  readonly onIncomingCall: readonly [
    caller: string,
    headers: Readonly<Record<string, string>>,
    CallInfo,
    name: string,
  ];
  readonly onIncomingCallCanceled: readonly [CallInfo];
  readonly onIncomingCallIgnored: readonly [CallInfo];
  readonly onConnectionChange: readonly [
    { readonly state: 'connected' | 'disconnected'; readonly reason: string },
  ];
  readonly mediaMetrics: readonly [MediaMetric];
  readonly remoteAudioStatus: readonly [isHeard: boolean];
  readonly audioDeviceChange: readonly [{ readonly change: string; readonly device: unknown }];
  readonly onMediaPermission: readonly [{ readonly status: 'success' | 'failure'; readonly error?: string }];
  readonly onWebrtcNotSupported: readonly [];
}
