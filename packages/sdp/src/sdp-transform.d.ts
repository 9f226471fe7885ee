/** Types of the part of sdp-transform that we use; the package has none. */
declare module 'sdp-transform' {
  export interface ParsedAttributes {
    readonly connection?: { readonly version: number; readonly ip: string | number };
    readonly direction?: string;
    readonly ptime?: number | string;
    readonly maxptime?: number | string;
    readonly rtcp?: { readonly port: number | string; readonly address?: string | number };
    readonly rtcpMux?: string;
    readonly mid?: number | string;
    readonly iceUfrag?: number | string;
    readonly icePwd?: number | string;
    readonly icelite?: string;
    readonly setup?: string;
    readonly bundleOnly?: string;
  }

  export interface ParsedMedia extends ParsedAttributes {
    readonly rtp: readonly {
      readonly payload: number | string;
      readonly codec: string | number;
      readonly rate?: number | string;
      readonly encoding?: number | string;
    }[];
    readonly fmtp: readonly { readonly payload: number | string; readonly config: string | number }[];
  }

  export interface ParsedSession extends ParsedAttributes {
    readonly version?: number | string;
    readonly origin?: {
      readonly username: string | number;
      readonly sessionId: string | number;
      readonly sessionVersion: string | number;
      readonly ipVer: number;
      readonly address: string | number;
    };
    readonly timing?: { readonly start: number | string; readonly stop: number | string };
    readonly groups?: readonly { readonly type: string; readonly mids: string | number }[];
    readonly media: readonly ParsedMedia[];
  }

  export function parse(text: string): ParsedSession;
}
