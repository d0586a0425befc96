/** True where the page came by an onion address, whoever runs that service. */
export const isOnionOrigin = (): boolean => /\.onion$/.test(globalThis.location?.hostname)

/** What stands where the server is waited for. */
export const connectingWords = (): string => (isOnionOrigin() ? 'Connecting to Tor network...' : 'Connecting...')
