import { navigate } from 'wouter/use-browser-location'

/** What an entry of the history knows of a payment. Of an address it would be believed by whoever follows a link. */
export interface Known {
  /** `yes` or `no`, as the card provider says it. */
  paid?: string
  /** The chat that led to the plans. */
  askedIn?: string | undefined
}

/** Key of sessionStorage: a checkout was begun in this tab, for the chat that it names, if any. The provider would read an address. */
const CHECKOUT = 'plan-checkout'

const known = (): Known => history.state ?? {}

/** The chat in which a plan is asked for, here or before the page of the plans. */
export const askedIn = (): string | undefined => (location.pathname.startsWith('/chat/') ? location.pathname : known().askedIn)

/** For the moment before the page is left for the provider’s. */
export const keepCheckout = (): void => sessionStorage.setItem(CHECKOUT, askedIn() ?? '')

/** After a payment in this page: in the chat that asked for it, or where one is. */
export function showPaid(): void {
  const here = location.pathname + location.search
  navigate(askedIn() ?? here, { replace: true, state: { ...known(), paid: 'yes' } satisfies Known })
}

/** The same after the provider’s page, whose return says `paid`. Where no checkout was begun in this tab nothing is shown. */
export function takeReturn(paid: string): void {
  const chat = sessionStorage.getItem(CHECKOUT)
  sessionStorage.removeItem(CHECKOUT)
  const state: Known | null = chat === null ? null : { paid, askedIn: chat || undefined }
  navigate((paid === 'yes' && chat) || '/subscribe', { replace: true, state })
}

export function forgetPaid(): void {
  const { paid: _, ...rest } = known()
  navigate(location.pathname + location.search, { replace: true, state: rest })
}
