/** The people for whom the tests make accounts. */
export const ana = { name: "Ana Lima", email: "ana@example.org", plan: "business", isConfirmed: true } as const
