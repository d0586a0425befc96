/**
 * For a username or display name: Chromium and Firefox keep what was typed into other fields in the profile, for whoever opens the form
 * next. Managers of passwords find the field all the same.
 */
export const UNKEPT = { autoComplete: 'off' } as const
