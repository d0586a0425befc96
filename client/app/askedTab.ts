/** Key of session storage under which another screen leaves the page of the settings to open. */
export const ASKED = 'profileTab'
