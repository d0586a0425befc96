// In the place of Node's module, which @hpke/common asks for where there is no Web Crypto: browsers have no such module.
export const webcrypto = undefined
