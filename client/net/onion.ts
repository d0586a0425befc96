import { connectionStore } from './status.ts'

/** True where the page came by an onion address, whoever runs that service. */
export const isOnionOrigin = (): boolean => globalThis.location?.hostname?.endsWith('.onion') === true

/** True where Tor hides this browser, as far as the page can tell: the server may not have said so yet. */
export const isBehindTor = (): boolean => isOnionOrigin() || connectionStore.getState().ingress === 'onion'

/** What stands where the server is waited for. */
export const connectingWords = (): string => (isOnionOrigin() ? 'Connecting to Tor network...' : 'Connecting...')
