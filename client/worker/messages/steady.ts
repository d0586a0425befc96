import type { Live } from '../keys/live.ts'

const STEADY = 'steady'

/** Decision 0123. */
export const isSteady = async ({ vault }: Live): Promise<boolean> => (await vault.get('sealed', STEADY)) !== undefined

export const setSteady = ({ vault }: Live, isOn: boolean): Promise<void> =>
  vault.write([{ store: 'sealed', key: STEADY, value: isOn ? { json: true } : null }])
