/** What browsers say of a module, or of the styles that belong to it, that they could not fetch: Chrome, Firefox, Safari, Vite. */
const WORDS =
  /dynamically imported module|Importing a module script failed|Unable to preload CSS|module script.*MIME type|Loading chunk/i

/** True if the error is that of a part of the page that could not be fetched: the browser is offline, or the server was updated. */
export const isNotLoaded = (error: unknown): boolean => error instanceof Error && WORDS.test(error.message)
