let leave: () => void = () => undefined

/** The account is closed. Set once what shows or moves transfers is loaded. */
export const whenLeaving = (work: () => void): void => {
  leave = work
}

export const leaveTransfers = (): void => leave()
