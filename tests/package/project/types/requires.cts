import monotable = require('monotable');

monotable.start({ samples: true }).then((server) => server.stop());
