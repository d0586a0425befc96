import { partOf } from './loadPart.ts'

/** Loads HPKE apart, because no stored message needs it. Throws 'not_loaded'. */
export const loadHpke = partOf(() => import('./hpke.ts'))
