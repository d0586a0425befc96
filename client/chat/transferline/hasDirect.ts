/** False without WebRTC, as in Tor Browser. */
export const hasDirect = (): boolean => typeof RTCPeerConnection !== 'undefined'

export const UNSUPPORTED = 'Direct transfers are not supported in this browser. Files sent in the chat are.'
