/** The server answers what the client is made of. Nobody caches it. */
export const BUILD_ADDRESS = '/build.json'

/** The service worker, at the root because it may answer for every address below its own. */
export const SERVICE_WORKER_ADDRESS = '/sw.js'

/** The operator's signature of that build; 404 without one. */
export const RELEASE_ADDRESS = '/.well-known/conclave/release.json'

/** The service worker's own page, where a person decides about a version that this browser has not started. */
export const VERSION_ADDRESS = '/version'
