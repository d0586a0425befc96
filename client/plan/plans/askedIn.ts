/** Key of sessionStorage: where a plan was asked for. The address of the return names no chat: the card provider would read it. */
const ASKED_IN = 'plan-asked-in'

/** Ends the address of a chat whose plan was just paid. */
export const PAID = '?paid=yes'

export function keepAskedIn(): void {
  if (location.pathname.startsWith('/chat/')) sessionStorage.setItem(ASKED_IN, location.pathname)
}

export const readAskedIn = (): string | null => sessionStorage.getItem(ASKED_IN)

export const dropAskedIn = (): void => sessionStorage.removeItem(ASKED_IN)
