export const TORRC = 'torrc'
/** A page has six connections and two sockets, and several pages share a circuit. */
export const STREAMS_MAX = 64

export interface TorrcParts {
  /** What tor learned of its network. */
  torFolder: string
  onionFolder: string
  controlPath: string
  webPath: string
  hasProofOfWork: boolean
  more: string
}

/** The operator's lines come first: of an option that is set twice tor takes the last. */
export const torrcOf = ({ torFolder, onionFolder, controlPath, webPath, hasProofOfWork, more }: TorrcParts): string =>
  [
    more,
    `DataDirectory ${quoted(torFolder)}`,
    'SocksPort 0',
    'Log notice stdout',
    'RunAsDaemon 0',
    `ControlSocket ${controlPath}`,
    'CookieAuthentication 1',
    // tor ends with this process, however that ends.
    `__OwningControllerProcess ${process.pid}`,
    `HiddenServiceDir ${quoted(onionFolder)}`,
    'HiddenServiceVersion 3',
    `HiddenServicePort 80 unix:${webPath}`,
    'HiddenServiceExportCircuitID haproxy',
    `HiddenServiceMaxStreams ${STREAMS_MAX}`,
    'HiddenServiceMaxStreamsCloseCircuit 1',
    'HiddenServiceEnableIntroDoSDefense 1',
    ...(hasProofOfWork ? ['HiddenServicePoWDefensesEnabled 1'] : []),
    '',
  ].join('\n')

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`
