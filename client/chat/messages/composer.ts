/** The open chat's field. */
export const composer: { giveBack?: (text: string) => Promise<void> } = {}
