export const TERMS_WORDS = {
  agree: 'I agree to the ',
  link: 'terms of this server',
  newTab: ' (opens a new tab)',
  withdrawal:
    'I want the plan to begin at once. I know that my right of withdrawal ends once the plan has been provided in full, and that a withdrawal before that pays for the days until then.',
  begin: 'Continue to payment',
}

export const versionWords = (version: string): string => `, version ${version}`

export const buyTitle = (name: string): string => `Buy ${name}`

export const buyText = (price: string, period: 'monthly' | 'yearly'): string =>
  `${price} are charged now, and again each ${period === 'yearly' ? 'year' : 'month'} until you end it.`
