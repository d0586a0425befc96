/** For addresses and codes: the browser corrects, capitalizes and completes nothing. */
export const VERBATIM = { spellCheck: false, autoCapitalize: 'none', autoComplete: 'off' } as const
