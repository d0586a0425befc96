/** Known before `hello`: true also if somebody else runs that onion service. */
export const isOnionOrigin = (): boolean => /\.onion$/.test(globalThis.location?.hostname)

export const connectingWords = (): string => (isOnionOrigin() ? 'Connecting to Tor network...' : 'Connecting...')
