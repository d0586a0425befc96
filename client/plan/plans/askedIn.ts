/** What an entry of the history knows of a payment: anybody could link to an address that claims one. */
export interface Known {
  /** `yes` or `no`. */
  paid?: string
  askedIn?: string | undefined
}

/** Key of sessionStorage: a checkout was begun in this tab, for that chat. The provider would read an address. */
const CHECKOUT = 'plan-checkout'

/** Key of sessionStorage: the newest coin payment that a chat led to, and its chat. */
const COIN = 'plan-coin'

const TELLS = /^\/(chat\/|subscribe|settings\?tab=(plan|subscription))/

const known = (): Known => history.state ?? {}

/** The chat that asks for a plan, or led to the plans. */
export const askedIn = (): string | undefined => (location.pathname.startsWith('/chat/') ? location.pathname : known().askedIn)

export const keepCheckout = (): void => sessionStorage.setItem(CHECKOUT, askedIn() ?? '')

/** After a payment in this page. Opens the plans where nothing on screen tells of it. */
export function showPaid(): void {
  const here = askedIn() ?? location.pathname + location.search
  if (TELLS.test(here)) history.replaceState({ ...known(), paid: 'yes' } satisfies Known, '', here)
  else history.pushState({ paid: 'yes' } satisfies Known, '', '/subscribe')
}

export function keepCoin(paymentId: string): void {
  const chat = askedIn()
  if (chat) sessionStorage.setItem(COIN, `${paymentId} ${chat}`)
}

export function coinChat(paymentId: string): string | undefined {
  const [id, chat] = (sessionStorage.getItem(COIN) ?? '').split(' ')
  return id === paymentId ? chat : undefined
}

/** After a payment by coin, among the plans. Opens the chat for whoever waits, and takes nobody away from what they do. */
export function showCoinPaid(paymentId: string, isLookedAt: boolean): void {
  const led = known().askedIn
  const chat = led ?? coinChat(paymentId)
  const next = isLookedAt ? chat : isBusy() ? undefined : led
  sessionStorage.removeItem(COIN)
  history.replaceState(
    { ...known(), paid: 'yes', askedIn: chat } satisfies Known,
    '',
    next ?? location.pathname + location.search,
  )
}

const isBusy = (): boolean =>
  document.querySelector('[role="dialog"], [role="alertdialog"]') !== null ||
  document.activeElement?.matches('input, textarea, select') === true

/** After the provider’s page, which says `paid`. */
export function takeReturn(paid: string): void {
  const chat = sessionStorage.getItem(CHECKOUT)
  sessionStorage.removeItem(CHECKOUT)
  const state: Known | null = chat === null ? null : { paid, askedIn: chat || undefined }
  history.replaceState(state, '', (paid === 'yes' && chat) || '/subscribe')
}

export function forgetPaid(): void {
  const { paid, ...rest } = known()
  if (paid === 'yes') history.replaceState(rest, '')
}
