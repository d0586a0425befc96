import { loadPart } from './loadPart.ts'

/**
 * The seals to public keys. They are a file of their own, which the worker asks for as soon as it runs: no stored message needs them.
 * Throws CryptoFailure('not_loaded').
 */
export const loadHpke = () => loadPart(() => import('./hpke.ts'))
