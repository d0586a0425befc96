/** Why a plan does not allow that: "send messages". */
export const needsPlan = (what: string): string =>
  `You need a paid subscription to ${what}. You can still receive and read messages from paid users.`
