/** Leads from a chat to the list. Where that lies beneath, as on a phone, the entries above it go, and Back leads on from the list. */
export function leaveChat(isPhone: boolean): void {
  const { list, steps = 0 } = history.state ?? {}
  if (isPhone && list) history.go(-1 - steps)
  else history.pushState(null, '', '/')
}
