import type { Env } from '../../env.ts'
import { askAddress, type Consent } from '../calls/address.ts'
import { hasDirect } from '../transferline/hasDirect.ts'

export const askConnection = async (env: Env, consent: Consent) =>
  hasDirect() ? askAddress(env, consent) : { refusal: 'unsupported' as const }
