/** Key of sessionStorage: the call that this tab is in. */
export const TAB_KEY = 'call'
