'use strict';

module.exports = { testEnvironment: require.resolve('./environment.cjs') };
